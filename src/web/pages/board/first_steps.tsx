import { Empty } from '../../components/states.tsx'
import { CopyButton } from '../../components/text.tsx'

const FIRST_COMMANDS = [
  ['Import the prices of your models', 'svc pricing import prices.yaml'],
  ['Register a release', 'svc release register ./my-agent --env prod'],
  ['Promote it', 'svc release promote RELEASE_ID --env prod --window 7d --reason "first release"'],
] as const

/** What an empty ledger needs first. */
export function FirstSteps() {
  return (
    <Empty title="No releases yet">
      <p>Three commands, in the folder of service.yaml:</p>
      <ol class="steps">
        {FIRST_COMMANDS.map(([what, command]) => (
          <li key={command}>
            {what}
            <span class="command">
              <code>{command}</code>
              <CopyButton text={command} what="the command" />
            </span>
          </li>
        ))}
      </ol>
      <p class="faint">
        Then send run events to <code>POST v1/events</code>; <a href="docs">the API documentation</a> says
        how. <code>svc demo</code> shows the whole loop.
      </p>
    </Empty>
  )
}
