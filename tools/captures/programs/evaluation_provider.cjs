/** Answers as a model would, or breaks. */
module.exports = class {
  id() {
    return 'bot'
  }

  async callApi(prompt) {
    if (prompt.includes('break')) return { error: 'the provider broke' }
    const tokenUsage = { total: 120, prompt: 100, completion: 20 }
    return { output: `You asked about rimborso: ${prompt}`, tokenUsage, cost: 0.0012 }
  }
}
