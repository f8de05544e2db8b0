import { useId, useState } from 'preact/hooks'
import { setToken, token } from '../access.ts'
import { refreshAll } from '../query.ts'

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
      <button type="submit" class="button primary">
        Use token
      </button>
      {token.value !== '' && (
        <button type="button" class="button" onClick={() => use('')}>
          Forget it
        </button>
      )}
    </form>
  )
}

/** What was refused may be read now, and the other way round. */
function use(value: string): void {
  setToken(value)
  refreshAll()
}
