import { type } from 'arktype'
import { age, by, databaseUrl, issuerUrl, rate } from '../checks.ts'
import { environmentsFit, freezeFits, freezeTime, timeZone } from '../environments.ts'
import { namePattern } from '../overrides.ts'
import { signInFits } from '../sign_in.ts'
import { documented } from '../docs.ts'
import { ROLES } from '../names.ts'
import { Count, Identifier, JsonObject, ofForm } from '../scalars.ts'

const DatabaseUrl = type.string.narrow(by(databaseUrl))

const PublicUrl = ofForm(/^https?:\/\/[^\s?#]+$/, 'an http or https URL without a query')

const Diff = JsonObject.and({
  min_candidate_runs: Count.default(500),
  min_baseline_runs: Count.default(500),
  min_low_runs: Count.default(50),
}).onUndeclaredKey('delete')

const Webhooks = JsonObject.and({ deny_private: 'boolean = false' }).onUndeclaredKey('delete')

const Audit = JsonObject.and({
  'checkpoints?': 'string > 0 | null',
  'addresses?': 'boolean',
}).onUndeclaredKey('delete')

const Age = type.string.narrow(by(age))

const Retention = JsonObject.and({
  'events?': Age.or('null'),
  'webhook_deliveries?': Age.or('null'),
  'idempotency_keys?': Age.or('null'),
  'archive?': 'string > 0 | null',
}).onUndeclaredKey('delete')

const Rollouts = JsonObject.and({ 'max_first_step?': '0.01 <= number <= 1' }).onUndeclaredKey('reject')

const PromotedFrom = JsonObject.and({ environment: Identifier, 'live_for?': Age }).onUndeclaredKey('reject')

const PromotesFrom = JsonObject.and({ '[string]': Identifier.or(PromotedFrom) })

const FreezeTime = type.string.narrow(by(freezeTime))

const Freeze = JsonObject.and({
  'environment?': Identifier.narrow(by(namePattern)),
  from: FreezeTime,
  to: FreezeTime,
  reason: 'string > 0',
  'time_zone?': type.string.narrow(by(timeZone)),
})
  .onUndeclaredKey('reject')
  .narrow(by(freezeFits))
export type Freeze = typeof Freeze.infer

const Environments = JsonObject.and({
  'environments?': Identifier.array().atLeastLength(1).atMostLength(100),
  'promotes_from?': PromotesFrom,
  'freeze?': Freeze.array().atMostLength(100),
}).narrow(by(environmentsFit))
const Url = type.string.narrow(by(issuerUrl))
const Names = Identifier.array().atLeastLength(1).atMostLength(20)

/** What a token of an identity provider is good for where it has all of these claims. */
const IdentityRole = JsonObject.and({
  role: type.enumerated(...ROLES),
  claims: JsonObject.and({ '[string]': type('string > 0').or(type('string > 0').array()) }),
  'agents?': Names.or('null'),
  'environments?': Names.or('null'),
}).onUndeclaredKey('reject')

/** A variable of the environment, or a secret that a runtime binds by such a name. */
const VariableName = ofForm(
  /^[A-Z][A-Z0-9_]{0,63}$/,
  'the name of a variable of the environment, such as CLIENT_SECRET',
)

/** How people sign in with an identity provider. */
const Login = JsonObject.and({
  client_id: 'string > 0',
  'client_secret_ref?': VariableName,
  'cli_client_id?': 'string > 0',
  'name?': ofForm(
    /^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/,
    'a name of a-z, 0-9 and - inside of it, at most 32 long, such as corporate',
  ),
  'scopes?': ofForm(
    /^[\x21\x23-\x5b\x5d-\x7e]+$/,
    'a scope without blanks, quotes and backslashes, such as groups',
  )
    .array()
    .atMostLength(20),
  'session_idle?': Age,
  'session_lasts?': Age,
}).onUndeclaredKey('reject')
export type Login = typeof Login.infer

const Issuer = JsonObject.and({
  issuer: Url,
  'audience?': 'string > 0',
  'jwks_uri?': Url.or('null'),
  'name_claim?': 'string > 0',
  'login?': Login.or('null'),
  roles: IdentityRole.array().atLeastLength(1),
}).onUndeclaredKey('reject')
export type Issuer = typeof Issuer.infer

const Auth = JsonObject.and({
  'mode?': "'named' | 'any' | null",
  'oidc?': Issuer.array().or('null'),
}).onUndeclaredKey('reject')

const Approvals = JsonObject.and({ 'people_only?': 'boolean' }).onUndeclaredKey('reject')

const People = JsonObject.and({
  'auth?': type("'named'").or(Auth),
  'approvals?': Approvals,
  'public_url?': PublicUrl.or('null'),
}).narrow(by(signInFits))

const Rate = type.string.narrow(by(rate))

const HeaderName = ofForm(/^[A-Za-z][\w-]{0,63}$/, 'the name of a header, such as X-Real-IP')

const Network = ofForm(
  /^(?:(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$|\/)|(?=$|\/))){4}(?:\/(?:3[0-2]|[12]?\d))?|[\da-f]*:[\da-f:.]*(?:\/(?:12[0-8]|1[01]\d|\d{1,2}))?)$/i,
  'an address or a network, such as 10.0.0.0/8',
)

const Limits = JsonObject.and({
  'per_credential?': Rate.or('null'),
  'per_address?': Rate.or('null'),
  'client_header?': HeaderName.or('null'),
  'trusted_proxies?': Network.array().atMostLength(100),
}).onUndeclaredKey('delete')

/** service.yaml. Unknown keys are dropped; who reads the file warns of them. */
export const WorkspaceConfig = Environments.and(People)
  .and({
    default_environment: Identifier.default('local'),
    api_version: "'v1' = 'v1'",
    kind: "'WorkspaceConfig' = 'WorkspaceConfig'",
    db_path: "string > 0 = '.service/service.db'",
    'database_url?': DatabaseUrl.or('null'),
    'read_database_url?': DatabaseUrl.or('null'),
    diff: Diff.default(() => ({})),
    'pricing_catalog_path?': 'string | null',
    promotion_requires_approval: 'boolean = false',
    'approvals_required?': '1 <= number.integer <= 20',
    'approval_by_another?': 'boolean',
    'approval_expires?': Age.or('null'),
    'allow_forced_rollback?': 'boolean',
    'anonymous_diff?': "'open' | 'totals'",
    strict: 'boolean = false',
    webhooks: Webhooks.default(() => ({})),
    'allowed_hosts?': Names,
    'limits?': Limits,
    'rollouts?': Rollouts,
    'retention?': Retention,
    'audit?': Audit,
  })
  .onUndeclaredKey('delete')
export type WorkspaceConfig = typeof WorkspaceConfig.infer

/** What anybody who may read knows of the workspace. No secrets. */
export const WorkspacePublic = type({
  api_version: "'v1'",
  kind: "'WorkspacePublic'",
  promotion_requires_approval: 'boolean',
  pricing_catalog_configured: 'boolean',
  server_version: 'string',
  'environments?': 'string[]',
}).onUndeclaredKey('reject')
export type WorkspacePublic = typeof WorkspacePublic.infer

export const workspacePublic = documented(WorkspacePublic, {
  title: 'WorkspacePublic',
  description: 'The public view of the workspace.',
  fields: {
    api_version: 'Version of this format.',
    kind: 'Kind of document.',
    promotion_requires_approval: 'Whether a promotion takes a request and a confirmation.',
    pricing_catalog_configured: 'Whether pricing_catalog_path is set; the file is not opened.',
    server_version: 'Installed package version.',
    environments:
      'The environments there are, in the order of service.yaml; left out where it declares none.',
  },
})

export const workspaceConfig = documented(WorkspaceConfig, {
  title: 'WorkspaceConfig',
  written: true,
  description: 'service.yaml, the configuration of a workspace. An empty file is valid.',
  fields: {
    api_version: 'Version of this format.',
    kind: 'Kind of document.',
    db_path: 'SQLite file of the ledger; ignored when database_url is set.',
    database_url: 'URL of a PostgreSQL or remote libSQL database; SERVICE_DATABASE_URL says the same.',
    read_database_url:
      'URL of a standby or replica for reads that may be late; SERVICE_READ_DATABASE_URL says the same.',
    default_environment: 'Environment where none is named.',
    environments:
      'The environments there are, in their order; any other one is refused. Any goes unless given.',
    promotes_from:
      'By environment, the one where a release must have been live before; or that one and for how long.',
    'promotes_from.*.environment': 'The environment where it must have been live.',
    'promotes_from.*.live_for': 'For how long without a break, such as 24h.',
    freeze: 'When nothing is promoted. Rollbacks go on.',
    'freeze[].environment':
      'Which environment: an exact name, or the beginning of names and one *; all unless given.',
    'freeze[].from':
      'When it begins: an ISO-8601 date, with or without a time, or a time of every week such as "fri 16:00".',
    'freeze[].to': 'When it ends, which is not in it; of the same kind.',
    'freeze[].reason': 'Why; a reason of each promotion that it blocks.',
    'freeze[].time_zone': 'Of times of the week, such as Europe/Berlin. Default UTC.',
    diff: "Sample sizes where the policy doesn't set them.",
    'diff.min_candidate_runs': 'Candidate runs for HIGH confidence.',
    'diff.min_baseline_runs': 'Baseline runs for HIGH confidence.',
    'diff.min_low_runs': 'Runs below which confidence is LOW.',
    pricing_catalog_path: 'Pricing catalog file, relative to the working directory or absolute.',
    promotion_requires_approval: 'Whether a promotion takes a request and a confirmation.',
    approvals_required: 'How many have to confirm a promotion, each of them once; 1 unless given.',
    approval_by_another: 'Whether whoever requested a promotion is refused as the one to confirm it.',
    approval_expires: 'Age at which a request that was not confirmed ends, such as 24h; never unless given.',
    approvals: 'Who may confirm a promotion.',
    'approvals.people_only':
      'Whether only people who have signed in may confirm: no token of any kind, and nobody without one.',
    allow_forced_rollback:
      'Whether a rollback may be forced, without asking the policy, to a release that was live before.',
    strict:
      'Whether what is otherwise only warned of is refused: unknown fields and parameters, events of releases that ' +
      'are not registered or of another agent, limits on what was not measured, and first promotions that are not asked for as such.',
    anonymous_diff:
      'What POST /v1/diff answers to callers without read access where a token is configured: `open`, the default, answers ' +
      'filters by tenant and task too; `totals` refuses them with 401.',
    auth: 'Who may call. `named` takes named credentials only: no tokens of the environment, and POST /v1/diff is a read.',
    'auth.mode':
      'Said `named` it means the same beside other settings; `any`, the default, takes all credentials.',
    'auth.oidc': 'Identity providers that are trusted.',
    'auth.oidc[].issuer': 'Its URL, exactly as `iss` of its tokens.',
    'auth.oidc[].audience':
      'What `aud` of Bearer tokens has to name. Without it people sign in, and no Bearer token of the issuer is taken.',
    'auth.oidc[].name_claim':
      'The claim that holds the name to put on record, such as preferred_username; `sub` unless given. `email` counts only where ' +
      '`email_verified` is true.',
    'auth.oidc[].login': 'Lets people sign in to the web UI and with `svc login`; needs public_url.',
    'auth.oidc[].login.client_id':
      'The client that the provider knows this service as. Its redirect URI is public_url and /v1/sign-in/NAME/callback.',
    'auth.oidc[].login.client_secret_ref':
      "Name of the environment variable, on Workers of the secret, that holds the client's secret. A public client has none.",
    'auth.oidc[].login.cli_client_id':
      'The public client of `svc login`; client_id unless given, where that has no secret.',
    'auth.oidc[].login.name':
      'What the button of the web UI says, and a part of the redirect URI. Default sso.',
    'auth.oidc[].login.scopes': 'What is asked for beside openid, such as groups.',
    'auth.oidc[].login.session_idle': 'A session that is not used for so long ends. Default 2h, at least 5m.',
    'auth.oidc[].login.session_lasts':
      'A session ends after so long, however it is used. Default 12h, at least 5m.',
    'auth.oidc[].jwks_uri': 'Where its keys are; found by its OpenID configuration unless given.',
    'auth.oidc[].roles':
      'What its tokens and people are good for: the first entry whose claims the token has.',
    'auth.oidc[].roles[].role': 'What such a token is good for: read, ingest, write or admin.',
    'auth.oidc[].roles[].claims':
      'Claims that it must have, each a text or one of several; `*` at the end of one stands for any rest.',
    'auth.oidc[].roles[].agents': 'The agents that it is good for; all unless given.',
    'auth.oidc[].roles[].environments': 'The environments that it is good for; all unless given.',
    allowed_hosts:
      'Names under which this machine may be asked without a token, such as those of proxies on it; where `strict` is set ' +
      'others are refused.',
    limits:
      'How often callers may ask, such as 100/s or 600/m; not limited unless given. Requests of this machine are not.',
    'limits.per_credential': 'Requests with one credential.',
    'limits.per_address': 'Requests from one address without a credential that holds.',
    'limits.client_header':
      'The header in which the proxy on this machine names its client, such as X-Real-IP or Forwarded: its last address alone ' +
      'says whose request it is. X-Forwarded-For, and others where that is missing, unless given.',
    'limits.trusted_proxies':
      'Addresses and networks of proxies, such as 10.0.0.0/8: what is limited per address without a setting, connections and ' +
      'requests at once, is not limited for them.',
    rollouts: 'How rollouts may begin.',
    'rollouts.max_first_step':
      'The largest share of the traffic that a first step may give to a release which the gate does not pass; default 0.5.',
    retention: 'How long what grows is kept; for ever where nothing is said.',
    'retention.events':
      'Run events of whole days (UTC) go at this age, such as 90d; rollups and decisions stay.',
    'retention.webhook_deliveries': 'Deliveries that were delivered or given up go at this age.',
    'retention.idempotency_keys': 'Idempotency keys are forgotten at this age.',
    'retention.archive': 'Folder that run events are archived to before they go.',
    audit: 'The audit log.',
    'audit.addresses': 'Whether entries of sign-ins hold the address of the client.',
    'audit.checkpoints':
      'Where `svc serve` puts one every hour in which the log grew: a file that it appends to, or an http(s) URL that it posts to.',
    public_url: 'Where people find the web UI, such as https://releases.example.com: messages link there.',
    webhooks: 'Outbound webhooks.',
    'webhooks.deny_private': 'Whether deliveries to private and loopback addresses are refused.',
  },
  examples: [
    {
      api_version: 'v1',
      kind: 'WorkspaceConfig',
      db_path: '.service/service.db',
      default_environment: 'prod',
      diff: { min_candidate_runs: 500, min_baseline_runs: 500, min_low_runs: 50 },
      pricing_catalog_path: '.service/pricing-catalog.yaml',
      promotion_requires_approval: true,
    },
  ],
})
