import { useEffect } from 'preact/hooks'
import { allowedWords } from '../../../models/names.ts'
import { readRefusal, signIn, token } from '../../../web/access.ts'
import { callApi } from '../../../web/api.ts'
import { useAttempt } from '../../../web/attempt.ts'
import { Icon } from '../../../web/components/icon.tsx'
import { Failure } from '../../../web/components/note.tsx'
import { Section } from '../../../web/components/page.tsx'
import { Facts } from '../../../web/components/table.tsx'
import { ExactTime, Words } from '../../../web/components/text.tsx'
import type { PageFeature } from '../../../web/components/panels.tsx'
import { get, useRead } from '../../../web/query.ts'
import type { EndedSession, WhoAmI } from '../models.ts'
import { SOURCES } from '../rules_words.ts'
import { Sessions } from './sessions.tsx'

/** Where nothing may be read, somebody may have signed in or out in another tab. */
const useWho = (): WhoAmI | undefined =>
  useRead<WhoAmI>(get('v1/session'), readRefusal.value === undefined ? 60_000 : 5000).data

/** Who has signed in, with the way out; or the way in. */
function Foot() {
  const who = useWho()
  useEffect(() => {
    const isSetUp = who !== undefined && (who.sign_in.length > 0 || who.session !== null)
    signIn.value = isSetUp ? { person: who.session?.name } : undefined
  }, [who])
  if (who === undefined || signIn.value === undefined) return null
  const { session } = who
  if (session === null && token.value !== '') return null
  return (
    <p class="access-note">
      <Icon name="access" size={14} />
      <span>
        {session === null ? (
          <Ways who={who} kind="" />
        ) : (
          <>
            <Words>{session.name}</Words>
            <br />
            <SignOut kind="link" />
          </>
        )}
      </span>
    </p>
  )
}

/** Links to the ways in. They lead to where people reach the service, and back to this page. */
function Ways({ who: { sign_in, public_url }, kind }: { who: WhoAmI; kind: string }) {
  const base = (public_url ?? '').replace(/\/+$/, '')
  return sign_in.map(({ name, issuer }) => (
    <a
      key={name}
      class={kind}
      title={issuer}
      href={`${base}/v1/sign-in/${name}?to=${encodeURIComponent(location.search)}`}
    >
      {sign_in.length === 1 ? 'Sign in' : `Sign in with ${name}`}
    </a>
  ))
}

function SignOut({ kind }: { kind: string }) {
  const { attempt, problem } = useAttempt()
  async function signOut(): Promise<void> {
    const { provider_url } = await callApi<EndedSession>({ method: 'DELETE', path: 'v1/session' })
    if (provider_url != null) location.assign(provider_url)
  }
  return (
    <>
      <button type="button" class={kind} onClick={() => void attempt(signOut)}>
        Sign out
      </button>
      <Failure message={problem} />
    </>
  )
}

function Entry() {
  const who = useWho()
  return who === undefined || who.sign_in.length === 0 ? null : (
    <p class="actions">
      <Ways who={who} kind="button primary" />
    </p>
  )
}

function Access() {
  const who = useWho()
  if (who === undefined) return null
  const { caller, session, problem, sign_in } = who
  return (
    <>
      <Section title="You">
        {caller === null ? (
          <p>{problem ?? (sign_in.length > 0 ? 'You have not signed in.' : 'This page sends no token.')}</p>
        ) : (
          <Facts
            facts={{
              Name: caller.name,
              'Known by': session === null ? SOURCES[caller.source] : null,
              'Signed in with': session?.issuer,
              Subject: session?.subject,
              May: allowedWords(caller.allows),
              'Only for agents': caller.agents?.join(', '),
              'Only in environments': caller.environments?.join(', '),
              Until: session === null ? null : <ExactTime at={session.expires_at} />,
            }}
          />
        )}
        <p class="actions">
          {session === null ? (
            token.value === '' && <Ways who={who} kind="button primary" />
          ) : (
            <SignOut kind="button" />
          )}
        </p>
      </Section>
      {caller?.allows.includes('read') === true && signIn.value !== undefined && (
        <Sessions own={session?.session_id} />
      )}
    </>
  )
}

export const identity: PageFeature = { panels: { foot: Foot, entry: Entry, access: Access } }
