import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { Icon } from './icon.tsx'

/**
 * A modal dialog or a drawer. The browser keeps the focus inside, closes it on Escape, and the focus goes back to where
 * it came from.
 */
export function Dialog({
  title,
  kind = 'box',
  tone,
  onClose,
  children,
}: {
  title: ComponentChildren
  kind?: 'box' | 'drawer'
  tone?: 'danger'
  onClose: () => void
  children: ComponentChildren
}) {
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  useLayoutEffect(() => {
    const dialog = ref.current!
    const before = document.activeElement
    dialog.showModal()
    return () => {
      dialog.close()
      if (before instanceof HTMLElement && before.isConnected) before.focus()
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
