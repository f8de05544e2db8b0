import { CopyButton } from './text.tsx'

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
