import { signal } from '../signal.ts'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { ago, exactTime, zone } from '../format.ts'
import { Icon } from './icon.tsx'

const now = signal(Date.now())

/** Lets relative times age. */
export function startClock(): void {
  setInterval(() => {
    if (!document.hidden) now.value = Date.now()
  }, 5000)
}

/** How long ago, and exactly when on hover; `fine` counts the first seconds too. */
export function Time({ at, fine = false }: { at: string | number; fine?: boolean }) {
  const ms = typeof at === 'number' ? at : Date.parse(at)
  const exact = `${exactTime(at)} ${zone(at)}`
  return (
    <time dateTime={new Date(ms).toISOString()} title={exact}>
      {ago(ms, Math.max(now.value, Date.now()), fine)}
    </time>
  )
}

/** When, exactly, in the reader's time zone; in a short form to the minute. */
export function ExactTime({ at, short = false }: { at: string; short?: boolean }) {
  return (
    <time dateTime={at} title={at} class="figures">
      {short ? exactTime(at).slice(0, 16) : exactTime(at)} <span class="faint">{zone(at)}</span>
    </time>
  )
}

/** Words of others: isolated, so that right-to-left text and odd characters disturb nothing around them. */
export function Words({ children, clip = false }: { children: string | null | undefined; clip?: boolean }) {
  const text = children ?? ''
  return (
    <bdi class={clip ? 'words clip' : 'words'} title={clip ? text : undefined}>
      {text === '' ? <span class="faint">empty</span> : text}
    </bdi>
  )
}

/** The same for any content of a cell: texts may come from others. */
export const inWords = (content: ComponentChildren): ComponentChildren =>
  typeof content === 'string' ? <Words>{content}</Words> : content

/** An identifier, with a link where it leads somewhere and a button that copies it. */
export function Id({ value, link, short = false }: { value: string; link?: string; short?: boolean }) {
  const shown = short && value.length > 20 ? `${value.slice(0, 12)}…` : value
  return (
    <span class="id">
      {link === undefined ? (
        <bdi title={value}>{shown}</bdi>
      ) : (
        <a href={link} title={value}>
          <bdi>{shown}</bdi>
        </a>
      )}
      <CopyButton text={value} what={short ? 'it' : value} />
    </span>
  )
}

export function CopyButton({ text, what, label }: { text: string; what: string; label?: string }) {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle')
  async function copy(): Promise<void> {
    const done = await copyText(text)
    setState(done ? 'copied' : 'failed')
    setTimeout(() => setState('idle'), 2000)
  }
  const said = { idle: `Copy ${what}`, copied: 'Copied', failed: 'Copying is not allowed here' }[state]
  return (
    <button
      type="button"
      class={label === undefined ? 'copy' : 'button small'}
      title={said}
      aria-label={label === undefined ? said : undefined}
      onClick={() => void copy()}
    >
      <Icon name={state === 'copied' ? 'copied' : 'copy'} size={14} />
      {label !== undefined && (state === 'idle' ? label : said)}
    </button>
  )
}

/** The clipboard is there on secure origins only; elsewhere the old command still works. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    const area = document.createElement('textarea')
    area.value = text
    ;(document.querySelector('dialog[open]') ?? document.body).append(area)
    area.select()
    const done = document.execCommand('copy')
    area.remove()
    return done
  }
}

/** The JSON as the API says it, for what a page leaves out. */
export function Raw({ value, label = 'Raw JSON' }: { value: unknown; label?: string }) {
  const text = JSON.stringify(value, null, 2)
  return (
    <details class="raw">
      <summary>{label}</summary>
      <div class="raw-body">
        <CopyButton text={text} what="the JSON" label="Copy" />
        {/* Scrolls by itself, so the keyboard must reach it. */}
        <pre tabIndex={0}>{text}</pre>
      </div>
    </details>
  )
}

/** A command of `svc`, with a button that copies it. */
export function Command({ text }: { text: string }) {
  return (
    <span class="command">
      <code>{text}</code>
      <CopyButton text={text} what="the command" />
    </span>
  )
}
