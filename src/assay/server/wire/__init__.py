"""HTTP on the wire: connections that are counted and timed, requests that are bounded, answers of one write."""
