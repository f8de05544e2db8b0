/** Words that names don't say any more, in lower case, and what to say instead. */
const RETIRED_NAMES: Readonly<Record<string, string>> = {
  anew: 'again, or rebuild',
  cell: 'aggregate (of sums of runs)',
  cells: 'aggregates',
  asked: 'query, question, request, wanted, or the name of what is read',
  beside: 'extra, further, along',
  dear: 'costly',
  hotspot: 'segmentRegression',
  hotspots: 'segmentRegressions',
  held: 'effective (of a policy), stored, locked',
  look: 'check',
  looked: 'checked, searched',
  looking: 'checking, searching',
  looks: 'checks',
  sparingly: 'limitConcurrency',
  standing: 'state',
  stray: 'unusable (of runs), unknown (of fields)',
  strays: 'unusable (of runs), unknown (of fields)',
  strata: 'segments',
  stratum: 'segment',
  surface: 'capabilities',
  tell: 'report, warn',
  telling: 'outcome, report',
  tells: 'reports, knows',
  told: 'listed, reported, known, announced',
  undecidable: 'unusable',
  untold: 'unknown, unreported',
}

/** The same of comments. Whoever reads one may not know English well, and each of these has several meanings. */
const RETIRED_PROSE: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\banew\b/i, 'again'],
  [/\basked\b/i, 'who requests, reads or calls: say which'],
  [/\bbeside\b/i, 'next to, in addition to, with'],
  [/\bdear\b/i, 'costly'],
  [/\bheld\b/i, 'stored, kept, locked, in force'],
  [/\bsparingly\b/i, 'at most so many at a time'],
  [/\bstands?\b/i, 'is, applies'],
  [/\bstrays?\b/i, 'unusable run, unknown field'],
  [/\b(?:un)?told\b/i, 'reported, listed, announced, known'],
  [/\b(?:that|which|it) (?:is|are) none\b/i, 'not a window, not valid: say of what'],
  [/\bnone that there (?:is|are)\b|\b(?:is|are) none of\b/i, 'no such, unknown'],
]

/**
 * Names that users read until they were renamed; `docs/project/renames.md` says to what. No file of the product has one, not
 * even in a text between quotes.
 */
export const OLD_NAMES =
  /\bstrat(?:a|um)(?=\b|_)|surface|hot.?spots?\b|undecidable|\broll-ups?\b|last_look|look_json|watch_looks|\/v1\/cells|svc cells|\bcell_(?:sources|feeds|hours|writes|imports)|widened: tell|watch-cancel|promote-cancel|\bmay do more than|on the pages\b/i

interface RetiredWord {
  readonly line: number
  readonly word: string
  readonly instead: string
}

/**
 * The retired words in the names and comments of a file. Texts between quotes are left alone: many are data. Where a file
 * `drawsTables`, cells are those of a table.
 */
export function retiredWords(text: string, drawsTables = false): readonly RetiredWord[] {
  const found: RetiredWord[] = []
  let line = 1
  for (const token of tokensOf(text)) {
    if (/^[\w$]/.test(token)) {
      for (const part of partsOf(token)) {
        const instead = Object.hasOwn(RETIRED_NAMES, part) ? RETIRED_NAMES[part] : undefined
        if (instead !== undefined && !(drawsTables && part.startsWith('cell')))
          found.push({ line, word: token, instead })
      }
    } else if (token.startsWith('//') || token.startsWith('/*')) {
      for (const word of retiredProse(token)) found.push({ ...word, line: line + word.line - 1 })
    }
    line += token.split('\n').length - 1
  }
  return found
}

/** The retired words of a text that is prose throughout: once per line and word. */
export function retiredProse(text: string): readonly RetiredWord[] {
  return text.split('\n').flatMap((prose, index) =>
    RETIRED_PROSE.flatMap(([pattern, instead]) => {
      const [word] = pattern.exec(prose) ?? []
      return word === undefined ? [] : [{ line: index + 1, word, instead }]
    }),
  )
}

/** `onStrays` as `on`, `strays`. */
function partsOf(name: string): string[] {
  return name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
}

/** A comment, a text between quotes, a name, a regular expression, or one character. */
const TOKEN =
  /\/\/[^\n]*|\/\*[^]*?\*\/|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|[\w$]+|\/(?![/*])(?:[^\\/\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/|[^]/y

/** The text of a template up to its end, or to the next `${`. */
const TEMPLATE = /(?:[^\\`$]|\\[^]|\$(?!\{))*(?:`|\$\{|$)/y

/** A text as tokens, without a grammar: a division may be taken for a regular expression up to the end of its line. */
function* tokensOf(text: string): Generator<string> {
  /** How many braces are open within each template that is open. */
  const templates: number[] = []
  for (let at = 0; at < text.length;) {
    const isTemplate = templates.at(-1) === 0
    const pattern = isTemplate ? TEMPLATE : TOKEN
    pattern.lastIndex = at
    const [token] = pattern.exec(text)!
    yield isTemplate ? `\`${token}` : token
    at += token.length
    if (isTemplate) {
      if (token.endsWith('`')) templates.pop()
      else templates[templates.length - 1] = 1
    } else if (token === '`') templates.push(0)
    else if (token === '{' && templates.length > 0) templates[templates.length - 1]! += 1
    else if (token === '}' && templates.length > 0) templates[templates.length - 1]! -= 1
  }
}
