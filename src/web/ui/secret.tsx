import type { ComponentChildren } from 'preact'
import { Dialog } from './dialog.tsx'
import { Note } from './note.tsx'
import { CopyButton } from './text.tsx'
import { Button } from './button.tsx'

/** Shows a secret, this once. */
export function Secret({
  secret,
  note,
  onClose,
  children,
}: {
  secret: string
  /** What to do with it, and without it. */
  note: string
  onClose: () => void
  /** What it is for. */
  children: ComponentChildren
}) {
  return (
    <Dialog title="Keep this secret" onClose={onClose}>
      <Note>It is shown this once. {note}</Note>
      <p>{children}</p>
      <p class="command">
        <code>{secret}</code>
        <CopyButton text={secret} what="the secret" label="Copy" />
      </p>
      <footer>
        <Button kind="primary" onClick={onClose}>
          I have kept it
        </Button>
      </footer>
    </Dialog>
  )
}
