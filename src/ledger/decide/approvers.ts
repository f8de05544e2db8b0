import { ServiceError, badRequest } from '../../base/errors.ts'
import type { Approval } from '../../models/answers/promotion_request.ts'
import { type Who, isNobody, likeness } from '../../rules/four_eyes.ts'
import type { Actor, Identity, Ledger, Wanting } from '../world/ledger.ts'

/** Somebody as a record names them. */
interface Recorded {
  readonly actor: string
  readonly actor_source?: string | undefined
  readonly actor_identity?: Identity | null | undefined
  readonly claimed_actor?: string | null | undefined
}

/** A request that others have to confirm, with who requested it. */
export interface Approvable extends Recorded {
  readonly request_id: string
  readonly approvals?: readonly Approval[] | undefined
  readonly approvals_required?: number | undefined
}

/**
 * Throws where this one may not confirm a request: 403 for whom `approvals.people_only` rules out, 400 for the requester
 * where `approval_by_another` demands somebody else, and for who has confirmed it already. `what` names it in messages.
 */
export function refuseApprover(
  request: Approvable,
  what: 'promotion' | 'rollout',
  actor: Actor,
  {
    approval_by_another = false,
    approvals_required: wanted = 1,
    approvals: { people_only = false } = {},
  }: Ledger['workspace'],
): void {
  const { request_id, approvals = [], approvals_required: required = 1 } = request
  if (people_only) {
    requirePerson(actor, 'confirm')
    requireOneIssuer(actor, [
      ...(approval_by_another ? [whoOf(request)] : []),
      ...approvals.map(approval => whoOf(approval)),
    ])
    const unproven = approvals.find(approval => approval.actor_identity === undefined)
    if (unproven !== undefined) {
      throw new ServiceError(
        403,
        `${unproven.actor} confirmed it with a token, before that was ruled out (approvals.people_only): cancel the ` +
          'request, and request it again.',
      )
    }
  }
  if (approval_by_another) {
    if (isNobody(whoOf(request))) {
      throw badRequest(
        `${shownName(request.actor)} asked for this ${what}, which is nobody's name, so nobody can say that you are another ` +
          `person (approval_by_another). Cancel it, and request it again ${AS_ONESELF}.`,
      )
    }
    if (likeness(whoOf(request), actor) === 'same') {
      throw badRequest(
        `${request.actor} asked for this ${what}: somebody else must confirm it (approval_by_another). ${youAre(actor)}`,
      )
    }
  }
  if ((approval_by_another || Math.max(required, wanted) > 1) && isNobody(actor)) {
    throw badRequest(
      `${shownName(actor.name)} is no person's name, so you don't count as another person. ${youAre(actor)}`,
    )
  }
  if (approvals.some(approval => likeness(whoOf(approval), actor) === 'same')) {
    throw badRequest(
      `${actor.name} has confirmed ${request_id} already: somebody else has to. ${youAre(actor)}`,
    )
  }
}

function shownName(name: string): string {
  return name.trim() === '' ? 'An empty name' : name
}

const AS_ONESELF = 'with a token of your own or signed in, or set USER to your own name'

/** By which credential or name somebody is known, and what to do where that is wrong. */
function youAre({ name, source }: Actor): string {
  const by = {
    token: `the token ${name}`,
    oidc: 'your identity provider',
    cli: 'USER or USERNAME',
    header: 'X-Service-Actor',
    forwarded: 'X-Forwarded-User',
    body: '`actor` of the body',
    watch: 'a watch',
  }[source]
  const said = `You are ${shownName(name)} by ${by}`
  return source === 'token' || source === 'oidc'
    ? `${said}: each person who confirms needs a token of their own.`
    : `${said}, which proves nothing: if you are another person, confirm ${AS_ONESELF}.`
}

/** Throws 403 for whom nobody vouches. `what` is what only people may do. */
export function requirePerson({ isSignedIn }: Actor, what: string): void {
  if (isSignedIn === true) return
  throw new ServiceError(
    403,
    `Only people who have signed in may ${what} (approvals.people_only): sign in to the web UI, or with \`svc login\`.`,
  )
}

/** Throws 403 where two issuers vouch: nobody can say whether these are two people. */
function requireOneIssuer({ identity }: Actor, others: readonly Who[]): void {
  const other = others.find(who => who.identity !== undefined && who.identity.issuer !== identity!.issuer)
  if (other === undefined) return
  throw new ServiceError(
    403,
    `${other.name} is known by another identity provider than you, so nobody can say that you are two people ` +
      '(approvals.people_only).',
  )
}

/**
 * Whether what somebody on record agreed to counts for who wants it now, by the same rule as a confirmation: `self` where
 * another one has to agree, `unproven` where that has to be a person and nobody can say so, `nobody` where a side has no name. Nobody may want it yet.
 */
export function agreementOf(
  record: Recorded,
  wanting: Wanting | undefined,
  { approval_by_another = false, approvals: { people_only = false } = {} }: Ledger['workspace'],
): 'counts' | 'self' | 'unproven' | 'nobody' {
  const other = approval_by_another ? wanting : undefined
  if (other !== undefined && (isNobody(whoOf(record)) || isNobody(other))) return 'nobody'
  if (other !== undefined && likeness(whoOf(record), other) === 'same') return 'self'
  if (!people_only) return 'counts'
  const issuer = record.actor_identity?.issuer
  return issuer !== undefined && issuer === (other?.identity?.issuer ?? issuer) ? 'counts' : 'unproven'
}

/** Who is on record, as somebody who wants something. */
export function wantingBy({
  actor,
  actor_source: source,
  claimed_actor: claimed,
  actor_identity: identity,
}: Recorded): Wanting {
  return {
    name: actor,
    ...(source === undefined ? {} : { source }),
    ...(claimed == null ? {} : { claimed }),
    ...(identity == null ? {} : { identity }),
  }
}

function whoOf({ actor, actor_source, actor_identity }: Recorded): Who {
  return { name: actor, source: actor_source, identity: actor_identity ?? undefined }
}

/** A warning for each name of others that a reader takes for that of who confirms. */
export function alikeWarnings(request: Approvable, actor: Actor): string[] {
  const others = [whoOf(request), ...(request.approvals ?? []).map(approval => whoOf(approval))]
  return others
    .filter(other => likeness(other, actor) === 'alike')
    .map(
      ({ name }) =>
        `${actor.name} looks like ${name} but is another name: make sure that they are two people.`,
    )
}

/** A confirmation as it is kept with its request. */
export function approvalBy(
  { name, identity }: Actor,
  given: Pick<Approval, 'reason' | 'created_at'>,
): Approval {
  return { actor: name, ...(identity === undefined ? {} : { actor_identity: identity }), ...given }
}
