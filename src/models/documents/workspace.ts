import { type } from 'arktype'
import { age, by, databaseUrl, issuerUrl, rate } from '../checks.ts'
import { environmentsFit, freezeFits, freezeTime, timeZone } from '../environments.ts'
import { namePattern } from '../overrides.ts'
import { signInFits } from '../sign_in.ts'
import { ROLES } from '../names.ts'
import { Count, Identifier, json, ofForm } from '../scalars.ts'
import { object, said } from '../model.ts'

const DatabaseUrl = type.string.narrow(by(databaseUrl))

const PublicUrl = ofForm(/^https?:\/\/[^\s?#]+$/, 'an http or https URL without a query')

const Diff = json({
  '+': 'delete',
  min_candidate_runs: [Count, 'Candidate runs for HIGH confidence.', 500],
  min_baseline_runs: [Count, 'Baseline runs for HIGH confidence.', 500],
  min_low_runs: [Count, 'Runs below which confidence is LOW.', 50],
})

const Webhooks = json({
  '+': 'delete',
  deny_private: ['boolean', 'Whether deliveries to private and loopback addresses are refused.', false],
})

const Audit = json({
  '+': 'delete',
  'addresses?': ['boolean', 'Whether entries of sign-ins include the address of the client.'],
  'checkpoints?': [
    'string > 0 | null',
    'Where `svc serve` writes a checkpoint every hour in which the log grew: a file that it appends to, or an http(s) URL that it posts to.',
  ],
})

const Age = type.string.narrow(by(age))

const Retention = json({
  '+': 'delete',
  'events?': [
    Age.or('null'),
    'Age at which run events of whole days (UTC) are removed, such as 90d; rollups and decisions stay.',
  ],
  'webhook_deliveries?': [Age.or('null'), 'Age at which finished deliveries are removed.'],
  'idempotency_keys?': [Age.or('null'), 'Age at which idempotency keys are removed.'],
  'archive?': ['string > 0 | null', 'Folder for an archive of run events, written before they are removed.'],
})

const Rollouts = json({
  '+': 'reject',
  'max_first_step?': [
    '0.01 <= number <= 1',
    'The largest share of the traffic that a first step may give to a release that does not pass the gate; default 0.5.',
  ],
})

const PromotedFrom = json({
  '+': 'reject',
  environment: [Identifier, 'The environment where it must have been live.'],
  'live_for?': [Age, 'For how long without a break, such as 24h.'],
})

const PromotesFrom = json({ '[string]': Identifier.or(PromotedFrom) })

const FreezeTime = type.string.narrow(by(freezeTime))

const Freeze = json(
  {
    '+': 'reject',
    'environment?': [
      Identifier.narrow(by(namePattern)),
      'The environments: an exact name, or a prefix and one *; default all.',
    ],
    from: [
      FreezeTime,
      'When it begins: an ISO-8601 date, with or without a time, or a time of every week such as "fri 16:00".',
    ],
    to: [FreezeTime, 'When it ends, exclusive; of the same kind.'],
    reason: ['string > 0', 'The reason of each promotion that it blocks.'],
    'time_zone?': [
      type.string.narrow(by(timeZone)),
      'Time zone of times of the week, such as Europe/Berlin. Default UTC.',
    ],
  },
  freezeFits,
)
export type Freeze = typeof Freeze.infer

const Url = type.string.narrow(by(issuerUrl))
const Names = Identifier.array().atLeastLength(1).atMostLength(20)

/** What a token of an identity provider is good for where it has all of these claims. */
const IdentityRole = json({
  '+': 'reject',
  role: [type.enumerated(...ROLES), 'Role of such a token: read, ingest, write or admin.'],
  claims: [
    json({ '[string]': type('string > 0').or(type('string > 0').array()) }),
    'Claims that the token must have. A value is a string or a list of allowed strings; a trailing `*` matches any suffix.',
  ],
  'agents?': [Names.or('null'), 'Its agents; default all.'],
  'environments?': [Names.or('null'), 'Its environments; default all.'],
})

/** A variable of the environment, or a secret that a runtime binds by such a name. */
const VariableName = ofForm(
  /^[A-Z][A-Z0-9_]{0,63}$/,
  'the name of a variable of the environment, such as CLIENT_SECRET',
)

/** How people sign in with an identity provider. */
const Login = json({
  '+': 'reject',
  client_id: [
    'string > 0',
    "The provider's client for this service. Its redirect URI is public_url and /v1/sign-in/NAME/callback.",
  ],
  'client_secret_ref?': [
    VariableName,
    "Name of the environment variable, on Workers of the secret, with the client's secret. A public client has none.",
  ],
  'cli_client_id?': [
    'string > 0',
    'The public client of `svc login`; default client_id, if that has no secret.',
  ],
  'name?': [
    ofForm(
      /^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/,
      'a name of a-z, 0-9 and - inside of it, at most 32 long, such as corporate',
    ),
    'Label of the button in the web UI, and a part of the redirect URI. Default sso.',
  ],
  'scopes?': [
    ofForm(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'a scope without blanks, quotes and backslashes, such as groups')
      .array()
      .atMostLength(20),
    'Scopes to request in addition to openid, such as groups.',
  ],
  'session_idle?': [Age, 'Idle time after which a session ends. Default 2h, at least 5m.'],
  'session_lasts?': [Age, 'Age at which a session ends in any case. Default 12h, at least 5m.'],
})
export type Login = typeof Login.infer

const Issuer = json({
  '+': 'reject',
  issuer: [Url, 'Its URL, exactly as `iss` of its tokens.'],
  'audience?': [
    'string > 0',
    'Required `aud` of Bearer tokens. Without it people sign in, but Bearer tokens of the issuer are refused.',
  ],
  'name_claim?': [
    'string > 0',
    'The claim with the name for the record, such as preferred_username; default `sub`. `email` counts only if `email_verified` is true.',
  ],
  'login?': [Login.or('null'), 'Lets people sign in to the web UI and with `svc login`; needs public_url.'],
  'jwks_uri?': [Url.or('null'), 'URL of its keys; default from its OpenID configuration.'],
  roles: [
    IdentityRole.array().atLeastLength(1),
    'Roles of its tokens and people: the first entry whose claims the token has.',
  ],
})
export type Issuer = typeof Issuer.infer

const Auth = json({
  '+': 'reject',
  'mode?': [
    "'named' | 'any' | null",
    'Accepted credentials. `named`: only named tokens and people. `any` (default): also tokens of the environment.',
  ],
  'oidc?': [Issuer.array().or('null'), 'Trusted identity providers.'],
})

const Approvals = json({
  '+': 'reject',
  'people_only?': [
    'boolean',
    'Whether only people who have signed in may confirm: no token of any kind, and no caller without one.',
  ],
})

const Rate = type.string.narrow(by(rate))

const HeaderName = ofForm(/^[A-Za-z][\w-]{0,63}$/, 'the name of a header, such as X-Real-IP')

const Network = ofForm(
  /^(?:(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$|\/)|(?=$|\/))){4}(?:\/(?:3[0-2]|[12]?\d))?|[\da-f]*:[\da-f:.]*(?:\/(?:12[0-8]|1[01]\d|\d{1,2}))?)$/i,
  'an address or a network, such as 10.0.0.0/8',
)

const Limits = json({
  '+': 'delete',
  'per_credential?': [Rate.or('null'), 'Requests with one credential.'],
  'per_address?': [Rate.or('null'), 'Requests from one address without a valid credential.'],
  'client_header?': [
    HeaderName.or('null'),
    'The header in which the proxy on this machine names its client, such as X-Real-IP or Forwarded: only its last address counts. Default X-Forwarded-For, then others if that is missing.',
  ],
  'trusted_proxies?': [
    Network.array().atMostLength(100),
    "Addresses and networks of proxies, such as 10.0.0.0/8: limits per address without a setting, connections and requests at once, don't apply to them.",
  ],
})

export const WorkspaceConfig = said(
  json(
    {
      '+': 'delete',
      api_version: ["'v1'", 'Version of this format.', 'v1'],
      kind: ["'WorkspaceConfig'", 'Kind of document.', 'WorkspaceConfig'],
      db_path: [
        'string > 0',
        'SQLite file of the ledger; ignored when database_url is set.',
        '.service/service.db',
      ],
      'database_url?': [
        DatabaseUrl.or('null'),
        'URL of a PostgreSQL or remote libSQL database; or SERVICE_DATABASE_URL.',
      ],
      'read_database_url?': [
        DatabaseUrl.or('null'),
        'URL of a standby or replica for reads that may be late; or SERVICE_READ_DATABASE_URL.',
      ],
      default_environment: [Identifier, 'Environment of requests that name none.', 'local'],

      'environments?': [
        Identifier.array().atLeastLength(1).atMostLength(100),
        'The environments, in their order; any other one is refused. Default: any name.',
      ],
      'promotes_from?': [
        PromotesFrom,
        'By environment, the one where a release must have been live before; or that one and for how long.',
      ],
      'freeze?': [Freeze.array().atMostLength(100), 'Freezes of promotions. Rollbacks are not affected.'],
      diff: [Diff, 'Sample sizes, unless the policy sets them.', () => ({})],
      'pricing_catalog_path?': [
        'string | null',
        'Pricing catalog file, relative to the working directory or absolute.',
      ],
      promotion_requires_approval: ['boolean', 'Whether a promotion needs a request and an approval.', false],
      'approvals_required?': [
        '1 <= number.integer <= 20',
        'How many people must approve a promotion; default 1.',
      ],
      'approval_by_another?': ['boolean', "If true, requesters can't approve their own promotion."],
      'approval_expires?': [
        Age.or('null'),
        'Age at which an unconfirmed request ends, such as 24h; default never.',
      ],
      'approvals?': [Approvals, 'Who may confirm a promotion.'],
      'allow_forced_rollback?': [
        'boolean',
        'Whether a rollback to a release that was live before may skip the policy.',
      ],
      strict: [
        'boolean',
        'Whether likely mistakes are refused instead of warned of: unknown fields and parameters, events of unregistered releases or of another agent, limits on what was not measured, and first promotions without `first`.',
        false,
      ],
      'anonymous_diff?': [
        "'open' | 'totals'",
        'Answer of POST /v1/diff to callers without read access if a token is configured: `open`, the default, allows filters by tenant and task too; `totals` refuses them with 401.',
      ],
      'auth?': [
        type("'named'").or(Auth),
        'Accepted credentials. `named` accepts only named tokens and people: no tokens of the environment, and POST /v1/diff needs read access.',
      ],
      'allowed_hosts?': [
        Names,
        'Host names under which this machine accepts requests without a token, such as those of proxies on it; with `strict` others are refused.',
      ],
      'limits?': [
        Limits,
        'Limits of requests per caller, such as 100/s or 600/m; default none. Requests of this machine are not limited.',
      ],
      'rollouts?': [Rollouts, 'Rules for the start of rollouts.'],
      'retention?': [Retention, 'How long data is kept; default forever.'],
      'audit?': [Audit, 'The audit log.'],
      'public_url?': [
        PublicUrl.or('null'),
        'URL of the web UI, such as https://releases.example.com: messages link there.',
      ],
      webhooks: [Webhooks, 'Outbound webhooks.', () => ({})],
    },
    environmentsFit,
    signInFits,
  ),
  'service.yaml, the configuration of a workspace. An empty file is valid.',
  {
    written: true,
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
  },
)
export type WorkspaceConfig = typeof WorkspaceConfig.infer

export const WorkspacePublic = object('The public view of the workspace.', {
  '+': 'reject',
  api_version: ["'v1'", 'Version of this format.'],
  kind: ["'WorkspacePublic'", 'Kind of document.'],
  promotion_requires_approval: ['boolean', 'Whether a promotion needs a request and an approval.'],
  pricing_catalog_configured: ['boolean', 'Whether pricing_catalog_path is set; the file is not opened.'],
  server_version: ['string', 'Installed package version.'],
  'environments?': [
    'string[]',
    'The environments, in the order of service.yaml; left out if it declares none.',
  ],
})
export type WorkspacePublic = typeof WorkspacePublic.infer
