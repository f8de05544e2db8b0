import { BUILD } from '../src/spans/provider.ts'
import { COUNTED, NO_COUNT } from '../src/usage/attributes.ts'
import { KINDS, PARTS, WORDS } from '../src/usage/names.ts'
import { TITLES, WEAK } from '../src/usage/read.ts'
import { SOURCES } from '../src/usage/sources.ts'

/** Responses that the Python package counts, by its name of their source. */
const SOURCES_OF_PYTHON = ['openai', 'anthropic', 'gemini', 'bedrock', 'langchain'].map(name => `sdk:${name}`)

/** What the Python package counts by: the tables of src/usage. */
export function pythonRules(): string {
  const parts = /^\\b\(\?:(.*)\)\\b$/.exec(PARTS.source)![1]!.split('|')
  const sources = Object.fromEntries(SOURCES_OF_PYTHON.map(name => [name, SOURCES[name]]))
  const patterns = {
    counted: COUNTED.source,
    no_count: NO_COUNT.source,
    weak: WEAK.source,
    build: BUILD.source,
  }
  return `${JSON.stringify({ words: Object.fromEntries(WORDS), kinds: Object.fromEntries(KINDS), parts, ...patterns, titles: TITLES, sources }, null, 2)}\n`
}
