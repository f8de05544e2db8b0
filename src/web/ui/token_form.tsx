import { useId, useState } from 'preact/hooks'
import { setToken, token } from '../access.ts'
import { refreshAll } from '../query.ts'
import { Button } from './button.tsx'

/** Takes the Bearer token. It is kept for this tab only and goes nowhere but to this service. */
export function TokenForm() {
  const [value, setValue] = useState('')
  const id = useId()
  return (
    <form
      class="inline-form"
      onSubmit={event => {
        event.preventDefault()
        use(value)
      }}
    >
      <label for={id}>Token</label>
      <input
        id={id}
        type="password"
        autocomplete="off"
        spellcheck={false}
        required
        value={value}
        onInput={event => setValue(event.currentTarget.value)}
      />
      <Button type="submit" kind="primary">
        Use token
      </Button>
      {token.value !== '' && <Button onClick={() => use('')}>Forget it</Button>}
    </form>
  )
}

/** What was refused may be read now, and the other way round. */
function use(value: string): void {
  setToken(value)
  refreshAll()
}
