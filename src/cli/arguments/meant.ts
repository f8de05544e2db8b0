import { similarNames } from '../../base/text.ts'

/** Words for one thing, in command lines of ours and of other tools. A word may be in several rows: the first counts most. */
const SAME_MEANING: readonly (readonly string[])[] = [
  ['promote', 'deploy', 'ship', 'publish', 'activate', 'rollout'],
  ['approve', 'promote-confirm', 'confirm', 'accept'],
  ['promote-reject', 'reject', 'deny', 'decline'],
  ['cancel', 'abort', 'stop'],
  ['rollback', 'revert', 'undo', 'restore'],
  ['set', 'update', 'edit', 'change', 'apply', 'put'],
  [
    'register',
    'create',
    'add',
    'new',
    'import',
    'ingest',
    'set',
    'upload',
    'send',
    'push',
    'submit',
    'update',
  ],
  ['remove', 'revoke', 'delete', 'erase', 'rm', 'del', 'destroy', 'drop'],
  ['show', 'get', 'describe', 'view', 'inspect', 'explain', 'cat'],
  ['find', 'search', 'show', 'get'],
  ['status', 'state', 'health'],
  ['doctor', 'backup', 'upgrade', 'repair'],
  ['init', 'config', 'configure', 'setup'],
  ['requests', 'approvals', 'pending'],
  ['list', 'ls', 'all', 'show', 'tail', 'requests', 'deliveries'],
  ['history', 'log', 'logs', 'audit'],
  ['diff', 'compare', 'comparison'],
  ['promoted', 'live', 'current', 'active', 'pointer'],
  ['gate', 'check', 'test', 'validate', 'verify', 'evaluate', 'lint'],
  ['serve', 'start', 'server', 'run', 'up', 'ui', 'web', 'dashboard', 'open'],
]

/** What other tools call the groups of our commands. */
const GROUPS: Readonly<Record<string, string>> = {
  price: 'pricing',
  prices: 'pricing',
  events: 'runs',
  hook: 'webhook',
  key: 'token',
}

/** Where to set what no command does. */
const SETTINGS: Readonly<Record<string, string>> = {
  freeze:
    'Freezes are set in service.yaml: `freeze: [{environment: prod, from: 2026-12-20, to: 2027-01-04, reason: WHY}]`; a server reads it when it starts.',
}

/**
 * What to do instead of a command that does not exist, as a sentence: commands of the same meaning, else those that
 * are written alike.
 */
export function insteadOf(first: string, second: string, names: readonly string[]): string {
  const [setting] = [first, second].flatMap(word => SETTINGS[word.replace(/^un/, '').replace(/s$/, '')] ?? [])
  if (setting !== undefined) return setting
  const isOfReleases = (name: string): boolean => name.startsWith('release ')
  const releasesFirst = (found: readonly string[]): string[] =>
    found.toSorted((a, b) => Number(isOfReleases(b)) - Number(isOfReleases(a)))
  const ofSvc = SAME_MEANING.filter(words => words.includes(first))
    .map(words => words[0]!)
    .filter(word => names.includes(word))
  const named = [...ofSvc, ...releasesFirst(names.filter(name => endsWith(name, first)))]
  if (named.length > 0) return guess(named.slice(0, 3))
  const groups = [...new Set(names.filter(name => name.includes(' ')).map(name => name.split(' ')[0]!))]
  const isVerb = SAME_MEANING.some(words => words.includes(first))
  const similarGroup = isVerb ? undefined : (GROUPS[first] ?? similarNames(first, groups, 1)[0])
  const group = groups.includes(first) ? first : similarGroup
  const typed = `${first} ${second}`.trim()
  if (group !== undefined && group !== first && names.includes(`${group} ${second}`)) {
    return guess([`${group} ${second}`])
  }
  if (group !== undefined && second === '') {
    return `Did you mean ${group}? \`svc ${group} --help\` lists its commands.`
  }
  const isWithin = group !== undefined
  const verb = isWithin ? second : first
  const within = names.filter(name => (isWithin ? name.startsWith(`${group} `) : true))
  const meanings = SAME_MEANING.filter(words => words.includes(verb))
  const meant = meanings.flatMap(words => words.flatMap(word => within.filter(name => endsWith(name, word))))
  const bare = meanings.flat().filter(word => names.includes(word))
  const ordered = isWithin ? meant : releasesFirst(meant)
  const found = [...new Set(meant.length > 0 ? ordered : bare)].slice(0, 3)
  if (found.length > 0) return guess(found)
  if (meanings.length > 0 && isWithin) {
    return `No command of \`svc ${group}\` does that; \`svc ${group} --help\` lists them.`
  }
  return guess(similarNames(typed, names)) || '`svc --help` lists the commands.'
}

/** Names of one option, here and in other tools. */
const SAME_OPTION: readonly (readonly string[])[] = [
  ['--reason', '--message', '-m', '--comment', '--why'],
  ['--output', '--format', '--json', '-o'],
  ['--limit', '--last', '-n', '--count'],
  ['--window', '--since', '--period', '--last'],
  ['--env', '--target', '--stage'],
]

/** What means more than an option that is written alike does. */
const NEVER_GUESSED = ['--force', '--yes', '-y', '-f', '--all']

/** Asks whether an option of the command was meant: one of the same meaning, else those that are written alike. */
export function optionInsteadOf(name: string, known: readonly string[]): string {
  const same = SAME_OPTION.filter(names => names.includes(name)).flatMap(names =>
    known.filter(option => names.includes(option)),
  )
  if (same.length > 0) return guess(same.map(option => (name === '--json' ? `${option} json` : option)))
  return NEVER_GUESSED.includes(name) ? '' : guess(similarNames(name.replace(/^-+/, '--'), known))
}

/** Options by which a further argument can be given, by what it looks like. */
const BY_OPTION: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^https?:\/\//, ['--url']],
  [/^\d+$/, ['--port', '--limit']],
  [/^[^-]/, ['--agent', '--env']],
]

/** Asks whether a further argument was meant for an option; '' where the command has none for it. */
export function optionFor(argument: string, known: readonly string[]): string {
  const found = BY_OPTION.find(([pattern]) => pattern.test(argument))
  const fit = found?.[1].filter(option => known.includes(option)) ?? []
  return fit.length === 0 ? '' : ` Did you mean ${fit.map(option => `${option} ${argument}`).join(' or ')}?`
}

/** Asks whether one of these was meant; '' where there is none. */
export function guess(names: readonly string[]): string {
  return names.length === 0 ? '' : `Did you mean ${names.join(' or ')}?`
}

function endsWith(name: string, word: string): boolean {
  return name === word || name.endsWith(` ${word}`)
}
