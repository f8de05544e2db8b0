import { useEffect } from 'preact/hooks'
import { withoutSlashes } from '../../base/text.ts'
import { ROLE_ALLOWS, allowedWords } from '../../models/names.ts'
import { readRefusal, signIn, token } from '../access.ts'
import { callApi } from '../api.ts'
import { useAttempt } from '../attempt.ts'
import { Icon } from '../ui/icon.tsx'
import { Failure } from '../ui/note.tsx'
import { Section } from '../ui/page.tsx'
import { type Column, Facts, Table } from '../ui/table.tsx'
import { ExactTime, Time, Words } from '../ui/text.tsx'
import { get, useRead } from '../query.ts'
import type { EndedSession, SessionList, SessionRecord, WhoAmI } from '../../features/identity/models.ts'
import { SOURCES } from '../../features/identity/rules_words.ts'
import { Loaded } from '../ui/states.tsx'
import { Sure } from '../ui/dialog.tsx'

/** Where nothing may be read, somebody may have signed in or out in another tab. */
const useWho = (): WhoAmI | undefined =>
  useRead<WhoAmI>(get('v1/session'), readRefusal.value === undefined ? 60_000 : 5000).data

/** Who has signed in, with the way out; or the way in. */
export function Foot() {
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
  const base = withoutSlashes(public_url ?? '')
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

export function Entry() {
  const who = useWho()
  return who === undefined || who.sign_in.length === 0 ? null : (
    <p class="actions">
      <Ways who={who} kind="button primary" />
    </p>
  )
}

export function Identity() {
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

/** Sessions that the caller may see, and an end to those that are open. */
function Sessions({ own }: { own: string | undefined }) {
  const sessions = useRead<SessionList>(get('v1/sessions', { limit: 50 }), 30_000)
  const { attempt, problem } = useAttempt()
  const revoke = (id: string): Promise<void> =>
    attempt(async () => void (await callApi({ method: 'DELETE', path: `v1/sessions/${id}` })))
  const columns: Column<SessionRecord>[] = [
    {
      label: 'Person',
      kind: 'grow',
      cell: ({ name, issuer, subject }) => (
        <div class="stack">
          <Words>{name}</Words>
          <span class="faint">
            <Words>{`${subject} at ${issuer}`}</Words>
          </span>
        </div>
      ),
    },
    { label: 'In', cell: ({ kind, session_id }) => (session_id === own ? 'this browser' : USED_BY[kind]) },
    { label: 'May', cell: ({ role }) => <>{allowedWords(ROLE_ALLOWS[role])}</> },
    { label: 'Last used', cell: ({ last_used_at }) => <Time at={last_used_at} /> },
    {
      label: 'Ends',
      cell: ({ ended_because, ended_at, idle_at }) => (
        <>
          {ended_because !== null && `${ended_because.replace('_', ' ')} `}
          <Time at={ended_at ?? idle_at} />
        </>
      ),
    },
    {
      label: 'Revoke',
      kind: 'actions',
      cell: ({ state, session_id }) =>
        state === 'open' && <Sure label="Revoke…" sure="Revoke it" onSure={() => void revoke(session_id)} />,
    },
  ]
  return (
    <Section title="Sessions">
      <Failure message={problem} />
      <Loaded known={sessions}>
        {({ sessions: all }) =>
          all.length === 0 ? (
            <p class="faint">Nobody has signed in yet.</p>
          ) : (
            <Table caption="Sessions" columns={columns} rows={all} keyOf={({ session_id }) => session_id} />
          )
        }
      </Loaded>
    </Section>
  )
}

const USED_BY = { browser: 'a browser', cli: 'svc' } as const
