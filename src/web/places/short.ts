import type { BoardEntry } from '../../models/answers/board.ts'
import { STATE_WORDS } from '../../rules/place.ts'

/** States whose whole sentence is short. */
const SENTENCES: readonly BoardEntry['place']['state'][] = ['rolling_out', 'watched']

/** What the answer of a place says, in few words; nothing where it is quiet. */
export function shortText({ promoted, place: { state, headline, candidate } }: BoardEntry): string {
  if (state === 'quiet' || state === 'frozen') return ''
  if (state === null) return 'not evaluated yet'
  if (SENTENCES.includes(state)) return headline
  const version = state === 'worse' ? promoted?.version : candidate?.version
  return [version, STATE_WORDS[state]].filter(Boolean).join(' ')
}
