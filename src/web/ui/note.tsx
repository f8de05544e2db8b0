import type { ComponentChildren } from 'preact'
import { whyNoChanges } from '../access.ts'
import { href } from '../route.ts'
import { Icon, type IconName } from './icon.tsx'

/** What is to be minded, or what went wrong; errors are announced at once by screen readers. */
export function Note({
  tone = 'warn',
  icon = ICONS[tone],
  role = tone === 'bad' ? 'alert' : undefined,
  children,
}: {
  tone?: keyof typeof ICONS
  icon?: IconName
  role?: 'alert' | 'status' | undefined
  children: ComponentChildren
}) {
  return (
    <div class={`note ${tone}`} role={role}>
      <Icon name={icon} />
      <div>{children}</div>
    </div>
  )
}

const ICONS = { info: 'info', warn: 'warn', bad: 'block' } as const

/** What went wrong with a change; nothing for the empty message. */
export function Failure({ message }: { message: string }) {
  if (message === '') return null
  return (
    <Note tone="bad">
      <bdi>{message}</bdi>
    </Note>
  )
}

/** Says why nothing can be changed from here, where that is so. */
export function ChangesOff() {
  const why = whyNoChanges.value
  if (why === undefined) return null
  return (
    <Note icon="lock">
      {why} <a href={href('settings', { part: 'access' })}>Access</a>
    </Note>
  )
}
