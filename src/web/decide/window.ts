import { useEffect } from 'preact/hooks'
import { useReach } from '../reads.ts'
import { change } from '../route.ts'

const USUAL = '24h'

/**
 * The window to judge by: what the address says, else the usual one, or the shortest that holds enough runs of both
 * releases where that one doesn't: what was replaced days ago has no runs of today. Empty until it is known.
 */
export function useWindow(
  chosen: string,
  sides: { readonly baseline: string; readonly candidate: string; readonly environment: string },
): string {
  const asked = chosen === '' ? sides : { ...sides, baseline: '' }
  const reach = useReach({ ...asked, window: USUAL })
  const isAsked = chosen === '' && sides.baseline !== '' && sides.candidate !== ''
  const missing = reach.data?.missing_for_high
  const isShort = missing !== undefined && missing.baseline_runs_needed + missing.candidate_runs_needed > 0
  const best = isShort ? (missing.shortest_window ?? USUAL) : USUAL
  const isKnown = !isAsked || reach.data !== undefined || reach.error !== undefined
  // What was chosen stays, also while runs come in.
  useEffect(() => {
    if (isAsked && isKnown && best !== USUAL) change({ decide_window: best }, { replace: true })
  }, [isAsked, isKnown, best])
  if (chosen !== '') return chosen
  return isKnown ? best : ''
}
