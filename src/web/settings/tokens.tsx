import { useState } from 'preact/hooks'
import type { CreatedToken, TokenRecord } from '../../models/answers/token.ts'
import { ROLES, ROLE_ALLOWS, allowedWords } from '../../models/names.ts'
import { modes } from '../access.ts'
import { actorHeader, callApi } from '../api.ts'
import { useAttempt } from '../attempt.ts'
import { ChangeForm, Dialog, Sure } from '../ui/dialog.tsx'
import { Select, Text } from '../ui/field.tsx'
import { Failure, Note } from '../ui/note.tsx'
import { Section } from '../ui/page.tsx'
import { Secret } from '../ui/secret.tsx'
import { Loaded } from '../ui/states.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { Time, Words } from '../ui/text.tsx'
import { get, useRead } from '../query.ts'
import { Button } from '../ui/button.tsx'

/** Named credentials: what each is good for and when it was last used, and ways to make, replace and end them. */
export function Tokens() {
  const tokens = useRead<{ tokens: TokenRecord[] }>(get('v1/tokens'), 60_000)
  const [form, setForm] = useState<'none' | 'create' | TokenRecord>('none')
  const { attempt, problem } = useAttempt()
  const isRefused = tokens.error !== undefined && tokens.error.status < 500 && tokens.error.status > 0
  if (tokens.error?.status === 401) return null
  const revoke = (name: string, open: boolean): Promise<void> =>
    attempt(async () => {
      const path = `${pathOf(name)}?open=${open}`
      await callApi({ method: 'DELETE', path, headers: actorHeader() })
    })
  return (
    <Section
      title="Tokens"
      aside={
        !isRefused && (
          <Button kind="small" changes onClick={() => setForm('create')}>
            Create a token…
          </Button>
        )
      }
    >
      <Failure message={problem} />
      {isRefused ? (
        <p class="faint">{tokens.error.message}</p>
      ) : (
        <Loaded known={tokens}>
          {({ tokens: all }) => (
            <>
              {all.length === 0 ? (
                <p class="faint">There are no named tokens yet.</p>
              ) : (
                <Table
                  caption="Tokens"
                  columns={columnsWith(all, setForm, (name, open) => void revoke(name, open))}
                  rows={all}
                  keyOf={({ token_id }) => token_id}
                />
              )}
              {form !== 'none' && (
                <TokenForm
                  replaced={form === 'create' ? undefined : form}
                  isFirst={all.every(({ state }) => state === 'revoked')}
                  onClose={() => setForm('none')}
                />
              )}
            </>
          )}
        </Loaded>
      )}
    </Section>
  )
}

const pathOf = (name: string): string => `v1/tokens/${encodeURIComponent(name)}`

function columnsWith(
  all: readonly TokenRecord[],
  rotate: (token: TokenRecord) => void,
  revoke: (name: string, open: boolean) => void,
): Column<TokenRecord>[] {
  return [
    { label: 'Name', kind: 'grow', cell: ({ name }) => name },
    {
      label: 'May',
      cell: ({ role, agents, environments }) => (
        <div class="stack">
          {allowedWords(ROLE_ALLOWS[role])}
          {(agents ?? environments) !== null && (
            <span class="faint">
              <Words>{`only ${[agents, environments].map(names => names?.join(', ') ?? 'all').join(' in ')}`}</Words>
            </span>
          )}
        </div>
      ),
    },
    {
      label: 'Last used',
      cell: ({ last_used_at }) => (last_used_at === null ? 'never' : <Time at={last_used_at} />),
    },
    {
      label: 'Ends',
      cell: ({ state, expires_at, revoked_at }) =>
        revoked_at !== null ? (
          <>
            revoked <Time at={revoked_at} />
          </>
        ) : expires_at === null ? (
          'never'
        ) : (
          <>
            {state === 'expired' && 'expired '}
            <Time at={expires_at} />
          </>
        ),
    },
    {
      label: 'Actions',
      kind: 'actions',
      cell: token => {
        if (token.state === 'revoked') return false
        const isLast = all.every(({ name, state }) => name === token.name || state === 'revoked')
        return (
          <>
            <Button kind="small" onClick={() => rotate(token)}>
              Rotate…
            </Button>
            <Sure
              label="Revoke…"
              sure={isLast ? 'Revoke the last one: open to everybody' : 'Revoke it'}
              onSure={() => revoke(token.name, isLast)}
            />
          </>
        )
      },
    },
  ]
}

/** Makes a token, or replaces one, and shows it this once. */
function TokenForm({
  replaced,
  isFirst,
  onClose,
}: {
  replaced: TokenRecord | undefined
  isFirst: boolean
  onClose: () => void
}) {
  const [name, setName] = useState(replaced?.name ?? '')
  const [role, setRole] = useState<string>('read')
  const [agents, setAgents] = useState('')
  const [environments, setEnvironments] = useState('')
  const [span, setSpan] = useState(replaced === undefined ? '90d' : '24h')
  const [created, setCreated] = useState<CreatedToken | undefined>(undefined)

  async function send(): Promise<void> {
    const limits = { agents: namesIn(agents), environments: namesIn(environments) }
    const [path, body] =
      replaced === undefined
        ? ['v1/tokens', { name, role, ...limits, ...(span === '' ? {} : { expires: span }) }]
        : [`${pathOf(name)}/rotate`, { overlap: span }]
    setCreated(await callApi<CreatedToken>({ method: 'POST', path, body, headers: actorHeader() }))
  }

  if (created !== undefined) {
    return (
      <Secret secret={created.token} note="Without it, rotate the token." onClose={onClose}>
        The token <bdi>{created.name}</bdi> is
      </Secret>
    )
  }
  return (
    <Dialog title={replaced === undefined ? 'Create a token' : `Rotate ${name}`} onClose={onClose}>
      <ChangeForm
        label={replaced === undefined ? 'Create' : 'Rotate'}
        isReady={name.trim() !== ''}
        onBack={onClose}
        send={send}
      >
        {replaced === undefined ? (
          <>
            {isFirst && modes.value?.mutation_auth === 'loopback' && (
              <Note>From the first token on, the service answers nobody without one, for reads too.</Note>
            )}
            <Text label="Name" value={name} kind="field wide" onChange={setName} placeholder="ci-deploy" />
            <Select
              label="It may"
              value={role}
              options={ROLES.map(each => [each, allowedWords(ROLE_ALLOWS[each])])}
              onChange={setRole}
            />
            <Text label="Agents" value={agents} kind="field wide" onChange={setAgents} placeholder="all" />
            <Text
              label="Environments"
              value={environments}
              kind="field wide"
              onChange={setEnvironments}
              placeholder="all"
            />
            <Select label="Ends" value={span} options={ENDS} onChange={setSpan} />
          </>
        ) : (
          <Select label="The one before stays good for" value={span} options={OVERLAPS} onChange={setSpan} />
        )}
      </ChangeForm>
    </Dialog>
  )
}

const ENDS = [
  ['7d', 'in 7 days'],
  ['30d', 'in 30 days'],
  ['90d', 'in 90 days'],
  ['365d', 'in a year'],
  ['', 'never'],
] as const
const OVERLAPS = [
  ['0m', 'no time: it ends now'],
  ['1h', 'an hour'],
  ['24h', 'a day'],
  ['7d', 'a week'],
] as const

/** Names between commas; undefined for all. */
function namesIn(text: string): string[] | undefined {
  const names = text.split(',').flatMap(name => name.trim() || [])
  return names.length === 0 ? undefined : names
}
