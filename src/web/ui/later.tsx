import type { ComponentChild, FunctionComponent } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { outage } from '../api.ts'
import { Note } from './note.tsx'
import { Skeleton } from './states.tsx'
import { Button } from './button.tsx'

const loads: (() => Promise<void>)[] = []

/**
 * A component whose code is loaded when it is first shown, or ahead of that when the browser has time. It shows as many
 * lines of a placeholder until then; what is loaded already is drawn at once.
 */
export function later<P extends object>(
  load: () => Promise<FunctionComponent<P>>,
  lines = 0,
): (props: P) => ComponentChild {
  let loaded: FunctionComponent<P> | undefined
  let loading: Promise<void> | undefined
  async function start(): Promise<void> {
    loaded = await load()
  }
  const ready = (): Promise<void> => (loading ??= start())
  loads.push(ready)
  return function Later(props: P) {
    const [state, setState] = useState<'loading' | 'loaded' | 'failed'>('loading')
    useEffect(() => {
      if (loaded !== undefined) return
      ready().then(
        () => setState('loaded'),
        () => setState('failed'),
      )
    }, [])
    if (loaded !== undefined) {
      const Loaded = loaded
      return <Loaded {...props} />
    }
    if (state === 'failed') return <Missing />
    return lines === 0 ? null : <Skeleton lines={lines} />
  }
}

/**
 * Loads the code of all pages, one after the other: a page is then there at once, also when the service is not. Who saves
 * data loads each when it is shown.
 */
export async function loadAhead(): Promise<void> {
  const { connection } = navigator as { readonly connection?: { readonly saveData: boolean } }
  if (connection?.saveData === true) return
  for (const ready of loads) await ready().catch(() => undefined)
}

/** A service of another version has other files. Browsers don't try again what they failed to load. */
function Missing() {
  return (
    <Note tone="bad">
      <p>
        This part of the page could not be loaded.{' '}
        {outage.value?.why ?? 'The service may have another version by now.'}
      </p>
      <Button kind="small" onClick={() => location.reload()}>
        Reload the page
      </Button>
    </Note>
  )
}
