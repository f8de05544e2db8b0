import { useState } from 'preact/hooks'
import { whyNoChanges } from '../access.ts'

/** A button for what can't be undone: it does it when it is pressed a second time. */
export function Sure({ label, sure, onSure }: { label: string; sure: string; onSure: () => void }) {
  const [isAsking, setAsking] = useState(false)
  return (
    <button
      type="button"
      class={`button small danger ${isAsking ? 'filled' : ''}`}
      disabled={whyNoChanges.value !== undefined}
      title={whyNoChanges.value}
      onClick={isAsking ? onSure : () => setAsking(true)}
      onBlur={() => setAsking(false)}
    >
      {isAsking ? sure : label}
    </button>
  )
}
