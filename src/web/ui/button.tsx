import type { ButtonHTMLAttributes, ComponentChildren } from 'preact'
import { whyNoChanges } from '../access.ts'
import { Icon, type IconName } from './icon.tsx'

/** A button. One that leads to a change says on hover why nothing can be changed from here. */
export function Button({
  kind = '',
  icon,
  changes = false,
  children,
  ...others
}: ButtonHTMLAttributes & {
  kind?: string
  icon?: IconName
  changes?: boolean
  children: ComponentChildren
}) {
  return (
    <button
      type="button"
      class={`button ${kind}`}
      title={changes ? whyNoChanges.value : undefined}
      {...others}
    >
      {icon !== undefined && <Icon name={icon} size={14} />}
      {children}
    </button>
  )
}
