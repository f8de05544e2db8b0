import { Icon } from '../components/icon.tsx'

/** What went wrong with a change of a webhook. */
export function Failure({ message }: { message: string }) {
  if (message === '') return null
  return (
    <p class="note bad" role="alert">
      <Icon name="block" />
      <bdi>{message}</bdi>
    </p>
  )
}
