/** Words in the names of providers, and what they mean. */
const ALIASES: Readonly<Record<string, string>> = {
  gemini: 'google',
  gcp: 'google',
  vertex: 'google',
  aws: 'bedrock',
  amazon: 'bedrock',
  googleai: 'google',
  vertexai: 'google',
  mistralai: 'mistral',
}

/** `gcp.gemini` is google, `azure.ai.openai` azure and openai, `anthropic.messages` anthropic. */
function wordsOf(name: string): string[] {
  return name
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .map(word => ALIASES[word] ?? word)
}

/** Whether two names of providers mean the same one. */
export function isSameProvider(a: string, b: string): boolean {
  const [ours, theirs] = [wordsOf(a), wordsOf(b)]
  return ours.join('') === theirs.join('') || ours.some(word => word !== 'ai' && theirs.includes(word))
}

/**
 * The names of a model, then those that have one of the providers in front without it: LiteLLM calls gpt-4.1 of the
 * provider openai `openai/gpt-4.1`. Another provider in front is a part of the name, as OpenRouter has it.
 */
export function modelNames(
  models: readonly string[],
  providers: readonly (string | undefined)[],
): readonly string[] {
  const bare = models.flatMap(model => {
    const slash = model.indexOf('/')
    if (slash <= 0) return []
    const prefix = model.slice(0, slash)
    const isProvider = providers.some(provider => provider !== undefined && isSameProvider(prefix, provider))
    return isProvider ? [model.slice(slash + 1)] : []
  })
  return bare.length === 0 ? models : [...models, ...bare]
}

/** The short name of a provider, as price tables are mostly called: `openai.responses` is `openai`. */
export function shortProvider(name: string): string {
  const words = wordsOf(name)
  return SHORT.find(word => words.includes(word)) ?? words[0]!
}

const SHORT = ['openai', 'anthropic', 'google', 'bedrock']

/** What may follow the name of a model without making it another one: a date, the number of a build, or a version. */
export const BUILD = /^(?:[-@:](?:\d{8}|\d{4}-\d\d-\d\d|\d{4}|\d{3}))?(?:-v\d+:\d+)?$/

/** Whether a model that answers by one name is the one that was requested by another. */
export function isServedAs(requested: string, served: string): boolean {
  const [wanted, got] = [bareName(requested), bareName(served)]
  return got === wanted || (got.startsWith(wanted) && BUILD.test(got.slice(wanted.length)))
}

/** The name that a model answered by, where that is another model. */
export function servedAs(requested: string, served: string | undefined): string | undefined {
  return served === undefined || isServedAs(requested, served) ? undefined : served
}

/** Without what is before the last slash, such as a provider. */
function bareName(model: string): string {
  return model.slice(model.lastIndexOf('/') + 1)
}
