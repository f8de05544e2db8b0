import type { PolicyDiff, PolicySetting } from '../models.ts'
import { Dialog } from '../../../web/components/dialog.tsx'
import { Select } from '../../../web/components/field.tsx'
import { Section } from '../../../web/components/page.tsx'
import { Loaded } from '../../../web/components/states.tsx'
import { type Column, Table } from '../../../web/components/table.tsx'
import { Time, Words } from '../../../web/components/text.tsx'
import { change, hereWith, href, param } from '../../../web/route.ts'
import { PolicyChanges, changesText } from '../../../web/pages/policy/changes.tsx'
import { Note } from '../../../web/components/note.tsx'
import { type Known, get, useRead } from '../../../web/query.ts'
import { ONCE_MS } from '../../../web/reads.ts'
import { nameOfPolicy, usePolicyHistory } from './reads.ts'

/** Every policy that was set: who, when, why, and what it changed; two of them can be compared. */
export function History() {
  const after = param('older')
  const settings = usePolicyHistory(after)
  const [from, to] = [param('from'), param('to')]
  return (
    <Section title="History" aside={<code>svc policy history</code>}>
      <Loaded known={settings}>
        {({ policies, next_after }) => (
          <>
            {policies.length === 0 ? (
              <p class="faint">None was ever set: the default holds, which sets no limit.</p>
            ) : (
              <Table
                caption="Policies that were set"
                columns={columnsFor(policies)}
                rows={policies}
                keyOf={({ seq }) => seq}
              />
            )}
            <nav class="paging" aria-label="Pages of the history">
              {after !== '' && <a href={hereWith({ older: null })}>Newest</a>}
              {next_after !== null && <a href={hereWith({ older: String(next_after) })}>Older</a>}
            </nav>
            {to !== '' && <Compare policies={policies} from={from} to={to} />}
          </>
        )}
      </Loaded>
    </Section>
  )
}

function columnsFor(policies: readonly PolicySetting[]): Column<PolicySetting>[] {
  const before = (setting: PolicySetting): PolicySetting | undefined =>
    policies[policies.indexOf(setting) + 1]
  return [
    {
      label: 'Policy',
      cell: setting => {
        const other = before(setting)
        return (
          <a
            href={hereWith({
              to: nameOfPolicy(setting),
              from: other === undefined ? null : nameOfPolicy(other),
            })}
          >
            <Words>{nameOfPolicy(setting)}</Words>
          </a>
        )
      },
    },
    { label: 'When', cell: ({ created_at }) => <Time at={created_at} /> },
    { label: 'By', cell: ({ actor }) => actor },
    { label: 'Why', cell: ({ reason }) => reason ?? <span class="faint">not said</span> },
    { label: 'What it changed', kind: 'grow', cell: ({ changes }) => changesText(changes) || 'nothing' },
  ]
}

/** Two policies of the history, field by field. Without the one it is what was in force before the other. */
function Compare({ policies, from, to }: { policies: readonly PolicySetting[]; from: string; to: string }) {
  const diff = usePolicyDiff(from, to)
  const options = policies.map(
    setting => [nameOfPolicy(setting), `${nameOfPolicy(setting)}, by ${setting.actor}`] as const,
  )
  return (
    <Dialog title="Compare two policies" kind="drawer" onClose={() => change({ from: null, to: null })}>
      <div class="fields">
        <Select
          label="From"
          value={from}
          options={[['', 'the one before'], ...options]}
          onChange={value => change({ from: value })}
        />
        <Select label="To" value={to} options={options} onChange={value => change({ to: value })} />
      </div>
      <Loaded known={diff}>
        {report => (
          <PolicyChanges changes={report.changes} sides={[sideOf(report.from), sideOf(report.to)]} />
        )}
      </Loaded>
    </Dialog>
  )
}

const sideOf = ({ policy_id, seq }: { policy_id: string; seq: number | null }): string =>
  seq === null ? 'the default' : nameOfPolicy({ policy_id, seq })

/** A request is judged by the policy that is in force when it is confirmed. */
export function PolicySince({ evaluatedAt }: { evaluatedAt: string }) {
  const policies = usePolicyHistory('').data?.policies ?? []
  const last = policies.find(({ created_at }) => created_at > evaluatedAt)
  if (last === undefined) return null
  return (
    <Note>
      The policy was changed after the request:{' '}
      <a href={href('policy', { to: nameOfPolicy(last) })}>what changed</a>
    </Note>
  )
}

/** Two policies of the history, by their names. */
const usePolicyDiff = (from: string, to: string): Known<PolicyDiff> =>
  useRead(get('v1/policy/diff', { from, to }), ONCE_MS)
