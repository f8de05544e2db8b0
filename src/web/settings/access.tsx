import {
  actsByName,
  modes,
  readOnly,
  readRefusal,
  setReadOnly,
  signIn,
  token,
  whyNoChanges,
} from '../access.ts'
import { Check } from '../ui/field.tsx'
import { ActorField } from '../ui/actor_field.tsx'
import { Section } from '../ui/page.tsx'
import { Identity } from './identity.tsx'
import { Tokens } from './tokens.tsx'
import { Facts } from '../ui/table.tsx'
import { TokenForm } from '../ui/token_form.tsx'

const READS: Readonly<Record<string, string>> = {
  open: 'open to everybody who reaches the service',
  bearer: 'take a token',
}
const CHANGES: Readonly<Record<string, string>> = {
  loopback: 'from this machine only: no token is configured on the server',
  bearer: 'take a token',
}

/** Who may do what, and as whom this page acts. */
export function Access() {
  const mode = modes.value
  const or = signIn.value === undefined ? '' : ' or a sign-in'
  return (
    <>
      <Section title="The service">
        <Facts
          facts={{
            Reads: mode === undefined ? 'not known yet' : (READS[mode.read_auth] ?? mode.read_auth) + or,
            Changes:
              mode === undefined ? 'not known yet' : (CHANGES[mode.mutation_auth] ?? mode.mutation_auth) + or,
          }}
        />
        <p class="faint">
          <a href="docs">API documentation</a>
        </p>
      </Section>
      <Identity />
      <Tokens />
      <Section title="This page">
        <Facts
          facts={{
            Token: token.value === '' ? 'none' : 'set, kept for this tab only',
            Reading: readRefusal.value ?? 'works',
            Changing: whyNoChanges.value ?? 'may be tried',
          }}
        />
        {mode?.mutation_auth === 'bearer' && <TokenForm />}
        <Check checked={readOnly.value} onChange={setReadOnly}>
          Read-only mode: this page changes nothing
        </Check>
        {actsByName() && (
          <ActorField label="Your name, for the audit trail">
            <p class="hint">If a proxy sends a user name, that name is used.</p>
          </ActorField>
        )}
      </Section>
    </>
  )
}
