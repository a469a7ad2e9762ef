module.exports = class {
  id() { return 'shouting'; }
  async callApi(prompt) {
    return prompt.includes('two') ? { error: 'cannot be shouted' } : { output: prompt.toUpperCase() };
  }
};
