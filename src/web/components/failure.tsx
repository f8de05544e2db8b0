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
