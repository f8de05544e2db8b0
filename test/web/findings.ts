/**
 * What reviewers found wrong with the pages, and the test that asks whether it is so: the file in `test`, and the title.
 * `test/unit/web/findings.test.ts` checks that each is there.
 */
export const FINDINGS: Readonly<
  Record<string, readonly (readonly [finding: string, file: string, title: string])[]>
> = {
  'wrong decisions': [
    [
      'a stale dialog promotes over a release nobody looked at',
      'web/decisions',
      'is not made over a release that came live since one looked; Review again takes it up',
    ],
    ['the result names no predecessor', 'web/decisions', 'a promotion that passes moves the pointer'],
    [
      'a regression in one tenant stays hidden',
      'web/findings',
      'a tenant that is worse off is in the verdict, in the dialog and on the board, although all together are not',
    ],
    [
      'a list of who is hit names those who are hit like all others',
      'web/findings',
      'who is worse off by no more than all together is not named: neither in the verdict, nor in the dialog, nor on record',
    ],
    [
      'the page of a release offers what its place refuses',
      'web/place',
      'the contents of %s offer nothing that its place decides on',
    ],
    [
      'what can not be compared for want of a price has a blue Promote',
      'web/place',
      'a release without a price can be promoted from no page of it',
    ],
    [
      'the dialog is milder than the diff',
      'web/decisions',
      'from the board to a blocked promotion, and on to a rollback, is on record',
    ],
    [
      'an approval is milder than the diff',
      'web/approvals',
      'a request says by when, who has confirmed of how many, and what is otherwise; one is rejected with a reason',
    ],
    [
      '100 verified rows are called the whole chain',
      'web/scale',
      'a long log is paged, filtered and verified',
    ],
    [
      'the split by error type says nothing',
      'web/errors',
      'errors are counted by type, a new one is marked, and its runs are a link away',
    ],
    [
      'an old block outranks a release that regresses now',
      'web/board',
      'what needs somebody comes first: whose it is, one reason in words and one verb a row',
    ],
    [
      'what could be next hides a rollout that runs',
      'web/rollouts',
      'the place says that a rollout runs although nothing is decided yet, with its steps',
    ],
    [
      'a report has another verdict than the pages',
      'unit/rules/report/report',
      'of the verdict %s begins with %s %s, as the pages do',
    ],
    [
      'a watch that regressed counts for nothing',
      'web/trail',
      'what regressed in its watch, and what has no prices, needs attention',
    ],
    [
      'a table is looked at, not the model',
      'web/findings',
      'runs of a model without a price need attention also where the table has other models',
    ],
    [
      'the board contradicts the dialog',
      'web/findings',
      'the board judges by the window that the dialog opens on, and says the same',
    ],
  ],
  friction: [
    [
      'a regressed watch offers no action',
      'web/trail',
      'a watch that regressed is an incident: what is worse, its rollback with a reason, and who was informed',
    ],
    [
      'requests can not be rejected, and their end is not shown',
      'web/approvals',
      'a request says by when, who has confirmed of how many, and what is otherwise; one is rejected with a reason',
    ],
    [
      'a first promotion is evaluated for ever with a read token',
      'web/decisions_others',
      'who may only read sees at once that a first promotion has nothing to be compared with',
    ],
    [
      'a disabled button under the pointer can not be read',
      'web/findings',
      'a button that can not be pressed is as readable under the pointer',
    ],
    [
      'the focus falls to the body after a promotion',
      'web/findings',
      'after a promotion the focus is on what came of it, and then on the page',
    ],
    ["71 Tabs to the fourth agent's Promote", 'web/board', 'the page of the fourth agent is a few keys away'],
    [
      'both commands of the first run exit with 1',
      'web/first_run',
      'an empty ledger has a checklist whose commands work as pasted, and which ticks by itself',
    ],
    [
      'runs can not be filtered by outcome, error type, latency',
      'web/errors',
      'runs are filtered by outcome and latency, in the address',
    ],
    [
      'a forced rollback has no control',
      'web/decisions_others',
      'a rollback that the policy blocks is forced where the workspace allows it',
    ],
    [
      'a name changed in one tab stays old in another',
      'web/decisions_others',
      'a name that is changed in one tab counts in the other',
    ],
    [
      'too much is loaded',
      'web/pages',
      'is small: the board, each page, and all of them together load no more scripts and styles than allowed',
    ],
    ['what has not changed is sent every 15 s', 'web/live', 'what has not changed is not sent again'],
    [
      'nothing is compressed, and a tab that is open costs 1 GB a day',
      'web/day',
      'a tab open for a day with 300 agents takes less than 10 MB',
    ],
  ],
  charts: [
    [
      'the error rate is a picket fence of whiskers',
      'web/findings',
      'charts have a band of what each mean may be, and errors in fewer, larger buckets',
    ],
    [
      'latency and cost have no intervals',
      'web/findings',
      'charts have a band of what each mean may be, and errors in fewer, larger buckets',
    ],
    ['marks are anonymous until hovered', 'web/place', 'links to what was decided, newest first'],
    [
      "a watch's picture is one dot",
      'web/trail',
      'a watch is started, weighs what is proven against each limit, and is ended',
    ],
    [
      'percentile dots have no axis',
      'web/errors',
      'errors are counted by type, a new one is marked, and its runs are a link away',
    ],
    ['no history of what was live when', 'web/place', 'links to what was decided, newest first'],
    [
      'no zoom, no time range',
      'web/place',
      'the words of the sentence choose what is compared, and the address has it',
    ],
  ],
  looks: [
    [
      'the diff is a document',
      'web/place',
      'says so once, above its limits, on the first screen; in the dark and on a phone too',
    ],
    [
      'rows of the board are 130 px high',
      'web/board',
      'an agent takes one line: what is live where, and what is next in the chosen environment',
    ],
    [
      'a row offers its actions all the time',
      'web/place',
      'has no blue button, and an attempt of it only in the menu',
    ],
    [
      'a blocked diff keeps a blue Promote',
      'web/place',
      'has no blue button, and an attempt of it only in the menu',
    ],
    ['pages are icons without names at 1024 px', 'web/layout', 'every page is named at %d px'],
    [
      'three pages of twelve are off-screen at 390 px',
      'web/layout',
      'on a phone all pages are behind a button, with their names, and within the screen',
    ],
  ],
  words: [
    [
      'candidate cost_per_run_usd 0.016458 exceeds max 0.012000',
      'web/findings',
      'says a limit and a difference in plain words',
    ],
    [
      'what changed within a group, which groups sent more or fewer runs',
      'web/findings',
      'says a limit and a difference in plain words',
    ],
    [
      'not enough evidence: the interval reaches from better to worse',
      'web/findings',
      'says a limit and a difference in plain words',
    ],
    [
      'Nothing is watched, or was',
      'web/trail',
      'a watch is started, weighs what is proven against each limit, and is ended',
    ],
    [
      'is told, and rolls nothing back',
      'web/trail',
      'a watch is started, weighs what is proven against each limit, and is ended',
    ],
    [
      'Name came from: header',
      'web/pages',
      'the log shows the evidence of an action, recomputes its hash, and verifies the chain',
    ],
    [
      'a search for a name opens a release, and a name on the board does not open its page',
      'web/traps',
      'opens an agent by its exact name where others begin alike, as its name does on each page',
    ],
    ['not there, Take out', 'web/findings', 'says a limit and a difference in plain words'],
  ],
  'better elsewhere': [
    [
      'a release goes live in one step',
      'web/rollouts',
      'is started from its place; what the service refuses is said at its field; its steps are seen',
    ],
    [
      'a rollout that ends badly is a row',
      'web/rollouts',
      'an aborted rollout is an incident: what was measured, what now, and who was informed',
    ],
    [
      'limits have no axis in common',
      'web/place',
      'says so once, above its limits, on the first screen; in the dark and on a phone too',
    ],
    [
      'no explain on the pages',
      'web/explain',
      'a decision is decided again, limit by limit, and by another policy, with the keyboard alone',
    ],
    [
      'no command palette',
      'web/traps',
      'lists pages and what can be done before anything is typed, and does it',
    ],
    ['nothing moves by itself', 'web/live', 'what somebody else decides shows at once, and is marked'],
    [
      'a missing price is a red paragraph',
      'web/traps',
      'a price that is missing is added in fields where that is said, with who needs it',
    ],
    [
      'prices are imported as JSON in a text area',
      'web/keyboard',
      'prices are imported once what they change is seen',
    ],
    ['no demo to look at', 'web/first_run', 'demo data is loaded into an empty ledger only'],
  ],
}
