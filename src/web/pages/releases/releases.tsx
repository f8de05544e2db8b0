import type { ReleaseRecord } from '../../../models/documents/release.ts'
import { Badge } from '../../components/badge.tsx'
import { FindHere } from '../../components/field.tsx'
import { PageHead } from '../../components/page.tsx'
import { RELEASE_COLUMN } from '../../components/place.tsx'
import { Empty, Loaded } from '../../components/states.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { Time, Words } from '../../components/text.tsx'
import { counted } from '../../format.ts'
import { useInOrder } from '../../environments.ts'
import { useBoard, useReleases } from '../../reads.ts'
import { param } from '../../route.ts'

/** Rows that are put on the page at once; a filter finds the rest. */
const MOST_SHOWN = 300

export function ReleasesPage() {
  const releases = useReleases()
  const live = new Map<string, string[]>()
  for (const { promoted, environment } of useBoard().data?.board ?? []) {
    if (promoted !== null)
      live.set(promoted.release_id, [...(live.get(promoted.release_id) ?? []), environment])
  }
  const inOrder = useInOrder()
  for (const [id, names] of live) live.set(id, inOrder(names))
  const wanted = param('find').toLowerCase()
  return (
    <>
      <PageHead title="Releases" about="What was registered, newest first. A release never changes.">
        <FindHere />
      </PageHead>
      <Loaded known={releases} lines={8}>
        {({ releases: all }) => {
          const shown = all.filter(({ agent_id, version, release_id, environment }) =>
            `${agent_id} ${version} ${release_id} ${environment}`.toLowerCase().includes(wanted),
          )
          if (shown.length === 0)
            return <Empty title={all.length === 0 ? 'No releases yet' : 'Nothing like that'} />
          return (
            <>
              <Table
                caption="Releases"
                columns={columnsWith(live)}
                rows={shown.slice(0, MOST_SHOWN)}
                keyOf={release => release.release_id}
              />
              {shown.length > MOST_SHOWN && (
                <p class="faint">
                  The newest {MOST_SHOWN} of {counted(shown.length, 'release')}; narrow it down with Find.
                </p>
              )}
            </>
          )
        }}
      </Loaded>
    </>
  )
}

function columnsWith(live: ReadonlyMap<string, readonly string[]>): Column<ReleaseRecord>[] {
  return [
    RELEASE_COLUMN,
    { label: 'Agent', cell: ({ agent_id }) => agent_id },
    { label: 'Version', cell: ({ version }) => version },
    { label: 'Registered for', cell: ({ environment }) => environment },
    {
      label: 'Live in',
      cell: ({ release_id }) =>
        live.get(release_id)?.map(environment => (
          <Badge key={environment} tone="ok">
            <Words clip>{environment}</Words>
          </Badge>
        )) ?? <span class="faint">nowhere</span>,
    },
    { label: 'Registered', cell: ({ created_at }) => <Time at={created_at} /> },
  ]
}
