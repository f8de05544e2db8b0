import { useId, useState } from 'preact/hooks'
import { setToken, token } from '../access.ts'

/** Takes the Bearer token. It is kept for this tab only and goes nowhere but to this service. */
export function TokenForm() {
  const [value, setValue] = useState('')
  const id = useId()
  return (
    <form
      class="inline-form"
      onSubmit={event => {
        event.preventDefault()
        setToken(value)
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
        <button type="button" class="button" onClick={() => setToken('')}>
          Forget it
        </button>
      )}
    </form>
  )
}
