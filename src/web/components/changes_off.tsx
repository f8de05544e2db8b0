import { whyNoChanges } from '../access.ts'
import { Icon } from './icon.tsx'

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
