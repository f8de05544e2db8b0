import { whyNoChanges } from '../access.ts'
import { Icon } from './icon.tsx'

/** What went wrong with a change; nothing for the empty message. */
export function Failure({ message }: { message: string }) {
  if (message === '') return null
  return (
    <p class="note bad" role="alert">
      <Icon name="block" />
      <bdi>{message}</bdi>
    </p>
  )
}

/** Says why nothing can be changed from here, where that is so. */
export function ChangesOff() {
  const why = whyNoChanges.value
  if (why === undefined) return null
  return (
    <p class="note warn">
      <Icon name="lock" />
      <span>{why}</span>
    </p>
  )
}
