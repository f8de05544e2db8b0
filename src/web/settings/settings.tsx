import { PageHead } from '../ui/page.tsx'
import { href, param } from '../route.ts'
import { Access } from './access.tsx'
import { Health } from './health.tsx'
import { PolicyPart } from './policy.tsx'
import { Prices } from './prices.tsx'
import { Webhooks } from './webhooks.tsx'

const PARTS = {
  health: ['Health', Health],
  policy: ['Policy', PolicyPart],
  prices: ['Prices', Prices],
  webhooks: ['Webhooks', Webhooks],
  access: ['Access', Access],
} as const
type Part = keyof typeof PARTS

/** What holds, who may do what, who gets announcements, and whether the service is well: one part at a time. */
export function SettingsPage() {
  const wanted = param('part')
  const part = wanted in PARTS ? (wanted as Part) : 'health'
  const [, Shown] = PARTS[part]
  return (
    <>
      <PageHead title="Settings">
        <nav class="segments" aria-label="Parts of the settings">
          {Object.entries(PARTS).map(([name, [title]]) => (
            <a
              key={name}
              href={href('settings', { part: name })}
              aria-current={name === part ? 'page' : undefined}
            >
              {title}
            </a>
          ))}
        </nav>
      </PageHead>
      <Shown key={part} />
    </>
  )
}
