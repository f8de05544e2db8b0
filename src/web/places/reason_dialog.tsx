import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { ChangeForm, Dialog } from '../ui/dialog.tsx'
import { Reason } from '../ui/field.tsx'

/** Asks for the reason of a change, and makes it. */
export function ReasonDialog({
  label,
  isDanger,
  isReady = true,
  send,
  onClose,
  children,
}: {
  /** What it does. */
  label: string
  isDanger: boolean
  isReady?: boolean
  send: (reason: string) => Promise<void>
  onClose: () => void
  children: ComponentChildren
}) {
  const [reason, setReason] = useState('')
  return (
    <Dialog title={label} onClose={onClose} {...(isDanger ? { tone: 'danger' as const } : {})}>
      <ChangeForm
        label={label}
        back="Back"
        isReady={isReady && reason.trim() !== ''}
        isDanger={isDanger}
        onBack={onClose}
        send={() => send(reason.trim())}
      >
        {children}
        <Reason value={reason} onChange={setReason} />
      </ChangeForm>
    </Dialog>
  )
}
