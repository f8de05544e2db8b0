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
  ['status', 'state', 'health'],
  ['list', 'ls', 'all', 'show', 'requests', 'deliveries'],
  ['history', 'log', 'logs', 'audit'],
  ['diff', 'compare', 'comparison'],
  ['promoted', 'live', 'current', 'active', 'pointer'],
  ['gate', 'check', 'test', 'validate', 'verify', 'evaluate', 'lint'],
  ['serve', 'start', 'server', 'run', 'up'],
]

/** What other tools call the groups of our commands. */
const GROUPS: Readonly<Record<string, string>> = {
  price: 'pricing',
  prices: 'pricing',
  events: 'runs',
  hook: 'webhook',
  key: 'token',
}

/**
 * What to do instead of a command that does not exist, as a sentence: commands of the same meaning, else those that
 * are written alike.
 */
export function insteadOf(first: string, second: string, names: readonly string[]): string {
  const named = names.filter(name => endsWith(name, first))
  if (named.length > 0) return guess(named)
  const groups = [...new Set(names.filter(name => name.includes(' ')).map(name => name.split(' ')[0]!))]
  const isVerb = SAME_MEANING.some(words => words.includes(first))
  const similarGroup = isVerb ? undefined : (GROUPS[first] ?? similarNames(first, groups, 1)[0])
  const group = groups.includes(first) ? first : similarGroup
  const typed = `${first} ${second}`.trim()
  if (group !== undefined && group !== first && names.includes(`${group} ${second}`)) {
    return guess([`${group} ${second}`])
  }
  const isWithin = group !== undefined && second !== ''
  const verb = isWithin ? second : first
  const within = names.filter(name => (isWithin ? name.startsWith(`${group} `) : true))
  const meanings = SAME_MEANING.filter(words => words.includes(verb))
  const meant = meanings.flatMap(words => words.flatMap(word => within.filter(name => endsWith(name, word))))
  const bare = meanings.flat().filter(word => names.includes(word))
  const isOfReleases = (name: string): boolean => name.startsWith('release ')
  const ordered = isWithin
    ? meant
    : meant.toSorted((a, b) => Number(isOfReleases(b)) - Number(isOfReleases(a)))
  const found = [...new Set(meant.length > 0 ? ordered : bare)].slice(0, 3)
  if (found.length > 0) return guess(found)
  if (meanings.length > 0 && isWithin) {
    return `No command of \`svc ${group}\` does that; \`svc ${group} --help\` lists them.`
  }
  return guess(similarNames(typed, names)) || '`svc --help` lists the commands.'
}

/** Asks whether one of these was meant; '' where there is none. */
export function guess(names: readonly string[]): string {
  return names.length === 0 ? '' : `Did you mean ${names.join(' or ')}?`
}

function endsWith(name: string, word: string): boolean {
  return name === word || name.endsWith(` ${word}`)
}
