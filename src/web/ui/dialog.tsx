import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { isNameless, whyNoChanges } from '../access.ts'
import { useAttempt } from '../attempt.ts'
import { ActorField } from './actor_field.tsx'
import { Icon } from './icon.tsx'
import { ChangesOff, Failure } from './note.tsx'
import { Button } from './button.tsx'

/**
 * A modal dialog or a drawer. The browser keeps the focus inside, closes it on Escape, and the focus goes back to where
 * it came from; where that is gone, to the row that it was in, or to the page.
 */
export function Dialog({
  title,
  kind = 'box',
  tone,
  onClose,
  children,
}: {
  title: ComponentChildren
  kind?: 'box' | 'drawer' | 'drawer sheet'
  tone?: 'danger'
  onClose: () => void
  children: ComponentChildren
}) {
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  useLayoutEffect(() => {
    const dialog = ref.current!
    const before = document.activeElement
    const row = before?.closest('tr')
    const { style, offsetWidth } = document.documentElement
    // What is open covers the room of the scrollbar, and nothing behind it moves.
    if (offsetWidth < innerWidth) style.setProperty('--scrollbar', `${innerWidth - offsetWidth}px`)
    dialog.showModal()
    return () => {
      dialog.close()
      const isThere = before instanceof HTMLElement && before !== document.body && before.isConnected
      const near = row?.isConnected === true ? row.querySelector<HTMLElement>('button, a') : null
      const next = isThere ? before : (near ?? document.querySelector<HTMLElement>('#main'))
      next?.focus({ preventScroll: !isThere })
    }
  }, [])
  return (
    <dialog
      ref={ref}
      class={[kind, tone].filter(Boolean).join(' ')}
      aria-labelledby={id}
      onCancel={event => {
        event.preventDefault()
        onClose()
      }}
      onMouseDown={event => {
        if (event.target === ref.current) onClose()
      }}
    >
      <header>
        <h2 id={id}>{title}</h2>
        <button type="button" class="copy" aria-label="Close" title="Close (Esc)" onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      <div class="dialog-body">{children}</div>
    </dialog>
  )
}

/** A form that changes something: what is filled in, by whom, why it can't be sent, and the buttons to cancel and to go on. */
export function ChangeForm({
  label,
  back = 'Cancel',
  isReady,
  isNamed = true,
  isDanger = false,
  hint,
  onBack,
  send,
  children,
}: {
  /** What it does. */
  label: string
  back?: string
  /** Whether everything is filled in that has to be. */
  isReady: boolean
  /** Whether it goes on record under a name. */
  isNamed?: boolean
  isDanger?: boolean
  hint?: ComponentChildren
  onBack: () => void
  send: () => Promise<void>
  children: ComponentChildren
}) {
  const { problem, isSending, attempt } = useAttempt()
  const isOff = whyNoChanges.value !== undefined || (isNamed && isNameless())
  return (
    <form
      class="decision"
      onSubmit={event => {
        event.preventDefault()
        void attempt(send)
      }}
    >
      {children}
      {isNamed && <ActorField label="Your name" />}
      <Failure message={problem} />
      <ChangesOff />
      <footer>
        {hint}
        <Button onClick={onBack}>{back}</Button>
        <Button
          type="submit"
          kind={isDanger ? 'danger filled' : 'primary'}
          disabled={isSending || !isReady || isOff}
        >
          {isSending ? 'Sending…' : label}
        </Button>
      </footer>
    </form>
  )
}

/** A button for what can't be undone: it does it when it is pressed a second time. */
export function Sure({ label, sure, onSure }: { label: string; sure: string; onSure: () => void }) {
  const [isAsking, setAsking] = useState(false)
  return (
    <Button
      kind={`small danger ${isAsking ? 'filled' : ''}`}
      disabled={whyNoChanges.value !== undefined}
      changes
      onClick={isAsking ? onSure : () => setAsking(true)}
      onBlur={() => setAsking(false)}
    >
      {isAsking ? sure : label}
    </Button>
  )
}
