import type { StoredEvent } from '../../../models/documents/stored_event.ts'
import { Badge } from '../../components/badge.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Raw } from '../../components/raw.tsx'
import { Facts } from '../../components/table.tsx'
import { ExactTime, Id, Words } from '../../components/text.tsx'
import { count, milliseconds, usd } from '../../format.ts'
import { href } from '../../route.ts'

/** One run, whole. */
export function RunDrawer({
  event,
  cost,
  onClose,
}: {
  event: StoredEvent
  cost?: number | null
  onClose: () => void
}) {
  const { metrics, usage, request, labels } = event
  const { model } = usage
  const around = (name: string, value: string | null | undefined) =>
    value == null ? null : (
      <Id
        value={value}
        link={href('runs', {
          release: event.release_id,
          env: event.environment,
          window: '30d',
          [name]: value,
        })}
      />
    )
  return (
    <Dialog title="Run" kind="drawer" onClose={onClose}>
      <p class="verdict-line">
        <Badge tone={metrics.success ? 'ok' : 'bad'}>{metrics.success ? 'success' : 'failed'}</Badge>
        {metrics.error_type !== null && <Words>{metrics.error_type}</Words>}
      </p>
      <Facts
        facts={[
          ['Run', <Id key="run" value={event.run_id} />],
          ['When', <ExactTime key="at" at={event.timestamp} />],
          ['Type', event.type],
          ['Cost', cost === undefined ? null : cost === null ? 'no price' : usd(cost)],
          ['Latency', metrics.latency_ms === null ? 'none' : milliseconds(metrics.latency_ms)],
          ['Model', <Words key="model">{`${model.provider} / ${model.model}`}</Words>],
          ['Input tokens', count(model.input_tokens)],
          ['Output tokens', count(model.output_tokens)],
          ['Cached input', count(model.cached_input_tokens)],
          [
            'Release',
            <Id key="release" value={event.release_id} link={href('release', { id: event.release_id })} />,
          ],
          ['Agent', <Words key="agent">{event.agent_id}</Words>],
          ['Environment', <Words key="env">{event.environment}</Words>],
          ['Tenant', <Words key="tenant">{event.tenant_id}</Words>],
          ['Task', <Words key="task">{event.task_id}</Words>],
          ['Trace', around('trace', request?.trace_id)],
          ['Session', around('session', request?.session_id)],
          ['Span', around('span', request?.span_id)],
          ...usage.tools.map(tool => [`Tool ${tool.tool_name}`, `${count(tool.invocations)} calls`] as const),
          ...Object.entries(labels).map(
            ([key, value]) => [`Label ${key}`, <Words key={key}>{value}</Words>] as const,
          ),
        ]}
      />
      <Raw value={event} />
    </Dialog>
  )
}
