/** Something that is easily typed wrong, and what has to be said to it. */
export interface Slip {
  /** As in a shell; `$V1` is live in prod, `$V3` a candidate, `$V2` another release, of which no run came. */
  readonly typed: string
  /** Files that are there, by name. */
  readonly files?: Readonly<Record<string, string>>
  readonly stdin?: string
  /** What mends it, on stdout or stderr. */
  readonly says: RegExp
  readonly exit: number
}

const GATE = 'release gate $V3'
const PROMOTE = 'release promote $V3'

/** Of windows and places. */
const COMPARING: readonly Slip[] = [
  { typed: 'release diff $V1 $V3 --env prdo --window 24h', says: /no runs in prdo, but in prod/, exit: 0 },
  { typed: `${PROMOTE} --env Prod --window 24h --reason x --dry-run`, says: /Did you mean prod\?/, exit: 0 },
  { typed: `${PROMOTE} --env пrod --window 24h --reason x --dry-run`, says: /Did you mean prod\?/, exit: 0 },
  { typed: `${GATE} --environment prod --window 24h`, says: /Did you mean --env\?/, exit: 1 },
  { typed: `${GATE} --enviroment prod --window 24h`, says: /Did you mean --env\?/, exit: 1 },
  { typed: `${GATE} --env prod`, says: /--window is required.*--window <W>/s, exit: 1 },
  { typed: `${GATE} --env prod --window`, says: /--window needs a value.*--window <W>/s, exit: 1 },
  { typed: `${GATE} --env prod --window 24`, says: /for example 7d, 24h or 30m/, exit: 1 },
  { typed: `${GATE} --env prod --window 1w`, says: /for example 7d, 24h or 30m/, exit: 1 },
  { typed: `${GATE} --env prod --window 24H`, says: /PASS|TOO LITTLE|BLOCKED/, exit: 4 },
  { typed: `${GATE} --env prod --window 10000d`, says: /about \d[\d,]* more runs/, exit: 4 },
  { typed: `${GATE} --env prod --window -1h`, says: /for example 7d, 24h or 30m/, exit: 1 },
  { typed: `${GATE} --env prod --window 0h`, says: /at least 1/, exit: 1 },
  { typed: `${GATE} --env prod --window 1.5h`, says: /for example 7d, 24h or 30m/, exit: 1 },
  {
    typed: `${GATE} --env prod --window 1m`,
    says: /about \d[\d,]* more runs|--window \d+[hd]|window/,
    exit: 4,
  },
  { typed: 'release gate act_0123456789ab --env prod --window 24h', says: /svc release list/, exit: 1 },
  { typed: 'release gate rel_xyz --env prod --window 24h', says: /svc release list/, exit: 1 },
  { typed: 'release gate rel_ --env prod --window 24h', says: /svc release list/, exit: 1 },
  { typed: 'release gate 9.9.9 --env prod --window 24h', says: /svc release list/, exit: 1 },
  { typed: 'release gate invoice-agent --env prod --window 24h', says: /svc release list/, exit: 1 },
  { typed: 'release gates $V3 --env prod', says: /Did you mean release gate/, exit: 1 },
  { typed: 'promote $V3 --env prod', says: /Did you mean release promote\?/, exit: 1 },
  { typed: `${PROMOTE} --env prod --window 24h`, says: /--reason is required.*--reason <TEXT>/s, exit: 1 },
  { typed: `${PROMOTE} --env prod --window 24h --reason ""`, says: /[Rr]eason is required/, exit: 1 },
  { typed: 'release diff $V1 $V1 --env prod --window 24h', says: /same release|with itself/, exit: 0 },
  {
    typed: 'release diff $V1 $V3 --env prod --window 24h --by tennant',
    says: /must be tenant, task, model or error/,
    exit: 1,
  },
  { typed: 'release promoted --env prdo', says: /the live release is in prod/, exit: 0 },
  { typed: 'release promoted', says: /invoice-agent\tprod/, exit: 0 },
  {
    typed: 'release rollback $V2 --env prod --window 24h --reason x --dry-run',
    says: /the candidate needs \d+ more runs/,
    exit: 1,
  },
  {
    typed: 'release rollback $V3 --env prod --window 24h --reason x --force',
    says: /set allow_forced_rollback: true in service\.yaml/,
    exit: 1,
  },
  { typed: 'release promote-confirm prq_nope --reason ok', says: /svc release requests/, exit: 1 },
  { typed: 'release rollout show rol_nope', says: /svc release rollout list/, exit: 1 },
  { typed: 'webhook rotate whk_nope --overlap 1h', says: /svc webhook list/, exit: 1 },
  { typed: 'webhook rotate whk_nope --overlap-s soon', says: /seconds, or an age such as/, exit: 1 },
  {
    typed: 'release promote-confirm prq_nope',
    says: /--approval-reason is required.*--approval-reason <TEXT>/s,
    exit: 1,
  },
  { typed: 'release watch $V3 --env prod', says: /svc release promoted/, exit: 1 },
  { typed: 'release watch invoice-agent --env prdo', says: /svc release promoted/, exit: 1 },
  { typed: 'release watch invoice-agent --env prod --against $V3 --for 2hours', says: /say 2h/, exit: 1 },
]

/** Of bundles and policies. */
const DOCUMENTS: readonly Slip[] = [
  { typed: 'release register nosuch --env prod', says: /there is no such file or folder/, exit: 1 },
  {
    typed: 'release register policy.yaml',
    files: { 'policy.yaml': 'policy_id: a\n' },
    says: /svc policy set|is a policy/,
    exit: 1,
  },
  {
    typed: 'release validate policy.yaml',
    files: { 'policy.yaml': 'policy_id: a\n' },
    says: /svc policy|is a policy/,
    exit: 1,
  },
  {
    typed: 'release validate tab.yaml',
    files: { 'tab.yaml': 'api_version: v1\n\tkind: Release\n' },
    says: /line 2, column 1: Tabs are not allowed/,
    exit: 1,
  },
  {
    typed: 'policy validate dup.yaml',
    files: { 'dup.yaml': 'policy_id: a\nmax_latency_ms: 1\nmax_latency_ms: 2\n' },
    says: /line 3.*must be unique/,
    exit: 1,
  },
  {
    typed: 'policy validate p.yaml',
    files: { 'p.yaml': 'policy_id: a\nmax_cost_increase_pct: 10\n' },
    says: /0\.1 is \+10 %/,
    exit: 1,
  },
  {
    typed: 'policy validate p.yaml',
    files: { 'p.yaml': 'policy_id: a\nmax_cost_increase_pct: 2\n' },
    says: /200 %; if 2 % was meant, write 0\.02/,
    exit: 0,
  },
  {
    typed: 'policy validate p.yaml',
    files: { 'p.yaml': 'policy_id: a\nmax_cost_increase_pct: 10%\n' },
    says: /write 0\.1|0\.1 is \+10 %/,
    exit: 1,
  },
  {
    typed: 'policy validate p.yaml',
    files: { 'p.yaml': 'policy_id: a\nmax_cost_increase_pct: -0.1\n' },
    says: /must be non-negative/,
    exit: 1,
  },
  {
    typed: 'policy validate p.yaml',
    files: { 'p.yaml': 'policy_id: a\nmax_cost_increase_pct: 0,1\n' },
    says: /write 0\.1|with a point/,
    exit: 1,
  },
  {
    typed: 'policy validate p.yaml',
    files: { 'p.yaml': 'policy_id: a\nmax_error_rate: 3\n' },
    says: /0\.03 is 3 %/,
    exit: 1,
  },
  {
    typed: 'policy validate p.yaml',
    files: { 'p.yaml': 'policy_id: a\nmax_error_rate: 1\n' },
    says: /if 1 % was meant, write 0\.01/,
    exit: 0,
  },
  {
    typed: 'policy validate p.yaml',
    files: { 'p.yaml': 'policy_id: a\nmax_latency_ms: 1.8\n' },
    says: /2, or 1800 if these are thousands/,
    exit: 1,
  },
  {
    typed: 'policy validate p.yaml',
    files: { 'p.yaml': 'policy_id: a\nmax_latency_ms: 2\n' },
    says: /up to 2 ms/,
    exit: 0,
  },
  {
    typed: 'policy validate p.yaml',
    files: { 'p.yaml': 'policy_id: a\nmax_latency_s: 2\n' },
    says: /did you mean max_latency_ms\?/,
    exit: 1,
  },
  { typed: 'policy validate p.yaml', files: { 'p.yaml': '' }, says: /is empty/, exit: 1 },
  {
    typed: 'policy validate p.yaml',
    files: { 'p.yaml': 'policy_id: a\n' },
    says: /svc policy template/,
    exit: 0,
  },
  {
    typed: 'policy validate p.json',
    files: { 'p.json': '{"policy_id": "a", }' },
    says: /ok policy a/,
    exit: 0,
  },
  { typed: 'policy validate nosuch.yaml', says: /there is no such file or folder/, exit: 1 },
  { typed: 'policy validate v1', says: /it is a folder/, exit: 1 },
  {
    typed: 'policy test p.yaml --last 0',
    files: { 'p.yaml': 'policy_id: a\n' },
    says: /must be at least 1/,
    exit: 1,
  },
  {
    typed: 'release validate badv.yaml',
    files: { 'badv.yaml': '$RELEASE version: 1.10' },
    says: /put quotes around a number that is text, as in "1\.10"/,
    exit: 1,
  },
  {
    typed: 'release validate v1/files.yaml',
    files: { 'v1/files.yaml': '$RELEASE file' },
    says: /not in the bundle.*give its folder/,
    exit: 0,
  },
  {
    typed: 'release validate bada.yaml',
    files: { 'bada.yaml': '$RELEASE agnet' },
    says: /agnet is not a known field/,
    exit: 1,
  },
  {
    typed: 'release register badp.yaml --env prod',
    files: { 'badp.yaml': '$RELEASE table' },
    says: /svc pricing import PATH/,
    exit: 0,
  },
  {
    typed: 'release register badm.yaml --env prod',
    files: { 'badm.yaml': '$RELEASE model' },
    says: /no price for claude-haiku-9|claude-haiku-9.*svc pricing import/,
    exit: 0,
  },
]

const EVENT =
  '{"api_version":"v1","run_id":"r1","agent_id":"invoice-agent","environment":"prod","tenant_id":"t","task_id":"k","release_id":"$V3","timestamp":"$NOW","metrics":{"success":true,"latency_ms":900},"usage":{"model":{"provider":"acme-llm","model":"claude-haiku-4-5","input_tokens":10,"output_tokens":5}}}'

/** Of run events. */
const RUNS: readonly Slip[] = [
  {
    typed: 'runs ingest e.csv',
    files: { 'e.csv': 'run_id,latency\n1,2\n' },
    says: /one JSON object on a line/,
    exit: 1,
  },
  {
    typed: 'runs ingest e.jsonl',
    files: { 'e.jsonl': '{"run_id":"a"}\n' },
    says: /agent_id is required/,
    exit: 1,
  },
  {
    typed: 'runs ingest e.jsonl',
    files: { 'e.jsonl': '{"run_id":"a" \n' },
    says: /line 1 is not valid JSON: Expected ','/,
    exit: 1,
  },
  { typed: 'runs ingest e.jsonl', files: { 'e.jsonl': '' }, says: /has no events/, exit: 0 },
  {
    typed: 'runs ingest e.jsonl',
    files: { 'e.jsonl': EVENT.replace('$V3', 'rel_nope') },
    says: /"rel_nope" is not registered.*(?:svc release|register)/s,
    exit: 0,
  },
  {
    typed: 'runs ingest e.jsonl',
    files: { 'e.jsonl': EVENT.replace('900', '0.9') },
    says: /900 if these are seconds/,
    exit: 1,
  },
  {
    typed: 'runs ingest e.jsonl',
    files: { 'e.jsonl': EVENT.replace('claude-haiku-4-5', 'claude-haiku') },
    says: /no price for "claude-haiku".*svc pricing import PATH --replace/,
    exit: 0,
  },
  {
    typed: 'runs ingest e.jsonl',
    files: { 'e.jsonl': EVENT.replace('$NOW', '23.11.2026 16:00') },
    says: /such as 2026-01-31T12:00:00Z/,
    exit: 1,
  },
  {
    typed: 'runs ingest e.jsonl',
    files: { 'e.jsonl': EVENT.replace('"$NOW"', '"1795450000"') },
    says: /such as 2026-01-31T12:00:00Z/,
    exit: 1,
  },
  {
    typed: 'runs ingest e.jsonl',
    files: { 'e.jsonl': EVENT.replace('$NOW', '2099-11-23T16:00:00Z') },
    says: /is its time zone wrong\?/,
    exit: 0,
  },
  {
    typed: 'runs ingest e.jsonl',
    files: { 'e.jsonl': EVENT.replace('10', '-5') },
    says: /input_tokens must be non-negative/,
    exit: 1,
  },
  {
    typed: 'runs ingest e.jsonl',
    files: { 'e.jsonl': EVENT.replace('invoice-agent', 'invoce-agent') },
    says: /but 1 event names agent "invoce-agent"/,
    exit: 0,
  },
  {
    typed: 'runs ingest e.jsonl',
    files: { 'e.jsonl': EVENT.replace('"prod"', '"prdo"') },
    says: /prdo.*(?:Did you mean prod|prod)/s,
    exit: 0,
  },
  { typed: 'runs ingest -', stdin: '[1,2]', says: /event 1 is not a JSON object/, exit: 1 },
  { typed: 'runs ingest -', stdin: '{"events":[]}', says: /one per line or as a JSON array/, exit: 1 },
  { typed: 'runs ingest nosuch.jsonl', says: /there is no such file or folder/, exit: 1 },
  { typed: 'runs ingest', says: /An argument is missing.*svc runs ingest <PATH>/s, exit: 1 },
]

const table = (version: string, entries: string): string =>
  `provider: acme-llm\npricing_version: ${version}\nentries: ${entries}\n`
const LISTED = '[{model: m, input_usd_per_1k_tokens: 3, output_usd_per_1k_tokens: 15}]'

/** Of prices. */
const PRICES: readonly Slip[] = [
  {
    typed: 'pricing import p.yaml',
    files: { 'p.yaml': table('contract-2026q4', LISTED) },
    says: /svc pricing import PATH --replace --reason WHY/,
    exit: 1,
  },
  {
    typed: 'pricing import p.yaml',
    files: { 'p.yaml': table('v9', LISTED) },
    says: /per million|1,000 tokens|1k tokens/,
    exit: 0,
  },
  {
    typed: 'pricing import p.yaml',
    files: { 'p.yaml': table('v10', LISTED.replace('1k', '1m')) },
    says: /did you mean input_usd_per_1k_tokens\?/,
    exit: 1,
  },
  {
    typed: 'pricing import p.yaml',
    files: { 'p.yaml': table('2026.10', LISTED) },
    says: /put quotes around a number that is text/,
    exit: 1,
  },
  {
    typed: 'pricing import p.yaml',
    files: { 'p.yaml': table('v11', '[]') },
    says: /no (?:model|entr)|is empty|at least one/,
    exit: 0,
  },
]

/** Of the workspace, services, and commands themselves. */
const SERVICES: readonly Slip[] = [
  { typed: 'init', says: /service\.yaml exists already; it is not changed/, exit: 1 },
  { typed: 'serve --port 99999', says: /must be at most 65535/, exit: 1 },
  {
    typed: 'release list --url http://127.0.0.1:9',
    says: /can't reach http:\/\/127\.0\.0\.1:9.*running there\?/,
    exit: 1,
  },
  {
    typed: 'release list --url 127.0.0.1:8971',
    says: /must be an http or https URL|http:\/\/127\.0\.0\.1:8971/,
    exit: 1,
  },
  { typed: 'release list --profile nope', says: /svc profile set nope --url URL/, exit: 1 },
  { typed: 'release list --output yaml', says: /must be text or json/, exit: 1 },
  { typed: 'release list --limit 0', says: /at least 1/, exit: 1 },
  { typed: 'release list --limit ten', says: /must be a (?:whole )?number|digits/, exit: 1 },
  { typed: 'release list --agent нет', says: /no releases of нет yet; register one/, exit: 0 },
  { typed: 'release history --env prod --limit 99999', says: /invoice-agent\tprod/, exit: 0 },
  { typed: 'audit explain 99', says: /svc release history/, exit: 1 },
  { typed: 'audit explain act_nope', says: /svc release history/, exit: 1 },
  { typed: 'webhook add ftp://x', says: /--url/, exit: 1 },
  { typed: 'release show', says: /An argument is missing.*<RELEASE_ID>/s, exit: 1 },
  { typed: 'release', says: /release promote/, exit: 0 },
  { typed: 'help', says: /svc help all/, exit: 0 },
  { typed: 'help release gate', says: /exit 0 if it may, 3 if a limit blocks it/, exit: 0 },
  { typed: '-h', says: /svc help all/, exit: 0 },
  { typed: 'release gate -h', says: /exit 0 if it may, 3 if a limit blocks it/, exit: 0 },
  { typed: '--verison', says: /Did you mean --version\?/, exit: 1 },
  { typed: 'token create ci --role admin', says: /answer only callers with a token.*add --yes/s, exit: 1 },
]

/** Words of other tools for what is done here. */
const OTHER_WORDS: readonly Slip[] = [
  { typed: 'release deploy $V3', says: /Did you mean release promote\b/, exit: 1 },
  { typed: 'release ship $V3', says: /Did you mean release promote\b/, exit: 1 },
  { typed: 'deploy $V3', says: /Did you mean release promote\b/, exit: 1 },
  { typed: 'release confirm prq_1', says: /Did you mean release approve\b/, exit: 1 },
  { typed: 'release reject prq_1', says: /Did you mean release promote-reject\b/, exit: 1 },
  { typed: 'release create v1', says: /Did you mean release register\b/, exit: 1 },
  { typed: 'release add v1', says: /Did you mean release register\b/, exit: 1 },
  { typed: 'release status', says: /Did you mean (?:svc )?status\b/, exit: 1 },
  { typed: 'release ls', says: /Did you mean release list\b/, exit: 1 },
  { typed: 'release log', says: /Did you mean release history\b/, exit: 1 },
  { typed: 'release compare $V1 $V3', says: /Did you mean release diff\b/, exit: 1 },
  { typed: 'release revert $V1', says: /Did you mean release rollback\b/, exit: 1 },
  { typed: 'release undo', says: /Did you mean release rollback\b/, exit: 1 },
  { typed: 'release live', says: /Did you mean release promoted\b/, exit: 1 },
  { typed: 'release check $V3', says: /Did you mean release gate\b/, exit: 1 },
  {
    typed: 'release delete $V3',
    says: /No command of `svc release` does that; `svc release --help`/,
    exit: 1,
  },
  { typed: 'webhook create https://example.com/x', says: /Did you mean webhook add\b/, exit: 1 },
  { typed: 'webhook rm whk_1', says: /Did you mean webhook (?:delete|remove)\b/, exit: 1 },
  { typed: 'token add ci', says: /Did you mean token create\b/, exit: 1 },
  { typed: 'token delete tok_1', says: /Did you mean token revoke\b/, exit: 1 },
  { typed: 'policy update p.yaml', says: /Did you mean policy set\b/, exit: 1 },
  { typed: 'policy apply p.yaml', says: /Did you mean policy set\b/, exit: 1 },
  { typed: 'policy get', says: /Did you mean policy show\b/, exit: 1 },
  { typed: 'pricing add p.yaml', says: /Did you mean pricing import\b/, exit: 1 },
  { typed: 'prices list', says: /Did you mean pricing show\b/, exit: 1 },
  { typed: 'runs add e.jsonl', says: /Did you mean runs ingest\b/, exit: 1 },
  { typed: 'runs import e.jsonl', says: /Did you mean runs ingest\b/, exit: 1 },
  { typed: 'login', says: /token|profile/, exit: 1 },
  { typed: 'version', says: /^\d+\.\d+\.\d+/, exit: 0 },
]

/** That were accepted in silence, or refused in words that led astray. */
const MISLED: readonly Slip[] = [
  {
    typed: 'policy validate p.yaml',
    files: { 'p.yaml': 'policy_id: a\nmax_latency: 1800\n' },
    says: /did you mean max_latency_ms\b/,
    exit: 1,
  },
  {
    typed: 'policy validate p.yaml',
    files: { 'p.yaml': 'policy_id: a\nmax_cost: 0.01\n' },
    says: /did you mean max_cost_per_run_usd\b.*max_cost_increase_pct/,
    exit: 1,
  },
  {
    typed: 'policy validate p.yaml',
    files: { 'p.yaml': 'policy_id: a\nmax_errors: 0.03\n' },
    says: /did you mean max_error_rate\b/,
    exit: 1,
  },
  { typed: `${GATE} --env --window 24h`, says: /--env needs a value/, exit: 1 },
  { typed: `${GATE} --window --env prod`, says: /--window needs a value/, exit: 1 },
  { typed: 'webhook add https://example.com/hook', says: /--url https:\/\/example\.com\/hook/, exit: 1 },
  {
    typed: 'release validate bad.yaml',
    files: { 'bad.yaml': 'api_version: v1\nkind: Release\n  metadata: {}\n' },
    says: /line [23].*indent/,
    exit: 1,
  },
  {
    typed: 'release register README.md --env prod',
    files: { 'README.md': '# Our bot\n\nIt answers.\n' },
    says: /no release\.yaml|not a release/,
    exit: 1,
  },
  { typed: 'policy validate -', stdin: 'policy_id: a\nmax_latency_ms: 1800\n', says: /ok policy a/, exit: 0 },
  {
    typed: 'pricing import p.yaml',
    files: { 'p.yaml': 'provider: acme-llm\npricing_version: v12\n' },
    says: /entries is required.*svc docs/s,
    exit: 1,
  },
  { typed: 'release promote "" --env prod', says: /empty.*variable/s, exit: 1 },
  {
    typed: 'runs ingest e.jsonl',
    files: { 'e.jsonl': EVENT.replace('$NOW', '$LOCAL') },
    says: /without a (?:time )?zone.*UTC/,
    exit: 0,
  },
  {
    typed: 'release diff $V3 $V1 --env prod --window 24h',
    says: /is live in prod/,
    exit: 0,
  },
  {
    typed: 'release rollback $V3 --env prod --window 24h --reason x --dry-run',
    says: /was never live|has never been live/,
    exit: 1,
  },
  {
    typed: 'release list',
    files: { 'service.yaml': 'database_url: postgres://u:p@127.0.0.1:9/db\n' },
    says: /127\.0\.0\.1:9/,
    exit: 1,
  },
]

/** That nobody had named: of options and words of other tools, of arguments without their option, of files. */
const UNNAMED: readonly Slip[] = [
  { typed: `${PROMOTE} --env prod --window 24h --message x`, says: /Did you mean --reason\?/, exit: 1 },
  { typed: `${PROMOTE} --env prod --window 24h -m x`, says: /Did you mean --reason\?/, exit: 1 },
  { typed: `${PROMOTE} --env prod --window 24h --reason x --force`, says: /--force\. Usage/, exit: 1 },
  { typed: `${PROMOTE} --env prod --window 24h --reason x --yes`, says: /--yes\. Usage/, exit: 1 },
  { typed: `${PROMOTE} prod --window 24h --reason x`, says: /Did you mean --env prod\?/, exit: 1 },
  { typed: `${PROMOTE} --env prod --window 1day --reason x`, says: /for example 7d, 24h or 30m/, exit: 1 },
  { typed: `${PROMOTE} --target prod --window 24h --reason x`, says: /Did you mean --env\?/, exit: 1 },
  { typed: `${GATE} --env prod --since 24h`, says: /Did you mean --window\?/, exit: 1 },
  { typed: `${GATE} --env prod --window 24h --json`, says: /Did you mean --output json\?/, exit: 1 },
  { typed: `${GATE} --env prod --window 24h --format json`, says: /Did you mean --output\?/, exit: 1 },
  { typed: `${GATE} --env prod --window 24h -o json`, says: /Did you mean --output\?/, exit: 1 },
  { typed: 'release gate latest --env prod --window 24h', says: /svc release list/, exit: 1 },
  { typed: 'release gate invoice-agent@3 --env prod --window 24h', says: /svc release list/, exit: 1 },
  { typed: 'release register v1 prod', says: /Did you mean --env prod\?/, exit: 1 },
  { typed: 'release register -e prod v1', says: /Did you mean --env\?/, exit: 1 },
  { typed: 'release register v1/release.yml', says: /Did you mean \S*v1\/release\.yaml\?/, exit: 1 },
  { typed: 'release list --json', says: /Did you mean --output json\?/, exit: 1 },
  { typed: 'release list 5', says: /Did you mean --limit 5\?/, exit: 1 },
  { typed: 'release history --last 5', says: /Did you mean --limit\?/, exit: 1 },
  { typed: 'release history --all', says: /--all\. Usage/, exit: 1 },
  { typed: 'policy set prices.yml', says: /Did you mean prices\.yaml\?/, exit: 1 },
  { typed: 'policy edit', says: /Did you mean policy set\b/, exit: 1 },
  { typed: 'runs tail', says: /Did you mean runs list\?/, exit: 1 },
  { typed: 'runs show run_1', says: /Did you mean runs find\b/, exit: 1 },
  { typed: 'status prod', says: /svc status --env prod/, exit: 1 },
  { typed: 'list', says: /Did you mean release list\b/, exit: 1 },
  { typed: 'start', says: /Did you mean serve\b/, exit: 1 },
  { typed: 'server', says: /Did you mean serve\b/, exit: 1 },
  { typed: 'ui', says: /Did you mean serve\b/, exit: 1 },
  { typed: 'web', says: /Did you mean serve\b/, exit: 1 },
  { typed: 'open', says: /Did you mean serve\b/, exit: 1 },
  { typed: 'serve 9000', says: /Did you mean --port 9000\?/, exit: 1 },
  { typed: 'serve -p 9000', says: /Did you mean --port\?/, exit: 1 },
  { typed: 'init my-agent', says: /Did you mean --agent my-agent\b/, exit: 1 },
  { typed: 'config', says: /Did you mean init\?/, exit: 1 },
  { typed: 'backup ledger.db', says: /Did you mean doctor\?/, exit: 1 },
  { typed: 'upgrade', says: /Did you mean doctor\?/, exit: 1 },
  { typed: 'approvals', says: /Did you mean release requests\b/, exit: 1 },
  { typed: 'help relase', says: /Did you mean release\?/, exit: 1 },
  { typed: 'relase', says: /Did you mean release\?/, exit: 1 },
  { typed: 'token list --all', says: /--all\. Usage/, exit: 1 },
]

export const SLIPS: readonly Slip[] = [
  ...COMPARING,
  ...DOCUMENTS,
  ...RUNS,
  ...PRICES,
  ...SERVICES,
  ...OTHER_WORDS,
  ...MISLED,
  ...UNNAMED,
]
