import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * templates/gate/template.yml: the component of GitLab. A component brings no files along, so it contains gate.sh.
 * Inputs reach the script as variables alone, which the shell takes for texts and nothing else.
 */
export function gitlabTemplate(root: string): string {
  const script = readFileSync(join(root, 'examples/ci/gate.sh'), 'utf8').trimEnd()
  const lines = script.split('\n').map(line => (line === '' ? '' : `${' '.repeat(6)}${line}`))
  return `${HEAD}${lines.join('\n')}\n${TAIL}`
}

const HEAD = `\
# Generated from examples/ci/gate.sh by \`npm run generate\`, and never edited.
spec:
  inputs:
    url:
      description: Address of the service
    release-id:
      description: The release
    environment:
      description: The environment
    token-variable:
      description: Name of the masked CI/CD variable that holds the token of the service
      default: SERVICE_LOCAL_API_TOKEN
      regex: ^[A-Za-z_][A-Za-z0-9_]*$
    baseline:
      description: Compare with this release rather than the promoted one (mode check)
      default: ''
    window:
      description: Events to judge by, such as 24h
      default: 24h
    mode:
      description: What to do
      default: check
      options: [check, promote, request]
    fail-on:
      description: The least that fails the job
      default: inconclusive
      options: [inconclusive, blocked, never]
    stage:
      description: Stage of the job
      default: deploy
    job-name:
      description: Name of the job
      default: release-gate
    image:
      description: An image with curl and a POSIX shell
      default: curlimages/curl:8.16.0
---
"$[[ inputs.job-name ]]":
  stage: $[[ inputs.stage ]]
  image: $[[ inputs.image ]]
  variables:
    GATE_URL: { value: "$[[ inputs.url ]]", expand: false }
    GATE_RELEASE: { value: "$[[ inputs.release-id ]]", expand: false }
    GATE_ENVIRONMENT: { value: "$[[ inputs.environment ]]", expand: false }
    GATE_BASELINE: { value: "$[[ inputs.baseline ]]", expand: false }
    GATE_WINDOW: { value: "$[[ inputs.window ]]", expand: false }
    GATE_MODE: { value: "$[[ inputs.mode ]]", expand: false }
    GATE_FAIL_ON: { value: "$[[ inputs.fail-on ]]", expand: false }
    GATE_TOKEN_VARIABLE: { value: "$[[ inputs.token-variable ]]", expand: false }
  script:
    - |
      cat >"\${TMPDIR:-/tmp}/gate.sh" <<'END_OF_GATE'
`

const TAIL = `\
      END_OF_GATE
    - |
      SERVICE_LOCAL_API_TOKEN=$(printenv "$GATE_TOKEN_VARIABLE" || true)
      if [ -z "$SERVICE_LOCAL_API_TOKEN" ]; then
        echo "gate: this job has no CI/CD variable $GATE_TOKEN_VARIABLE with the token of the service: set it under Settings, CI/CD, Variables; a protected one is there on protected branches and tags only" >&2
        exit 1
      fi
      export SERVICE_URL="$GATE_URL" SERVICE_LOCAL_API_TOKEN GATE_ACTOR="$GITLAB_USER_LOGIN"
      export GATE_REASON="job $CI_JOB_ID of $CI_PROJECT_PATH" GATE_REPORT=release-gate.md GATE_RESULT=release-gate.env
      sh "\${TMPDIR:-/tmp}/gate.sh" "$GATE_RELEASE" "$GATE_ENVIRONMENT" "$GATE_WINDOW"
  artifacts:
    when: always
    paths: [release-gate.md]
    reports: { dotenv: release-gate.env }
`
