import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { Operations } from '../../client/api-types.ts'
import { messagesOf, type Problem } from '../../client/problem.ts'
import { send } from '../../client/request.ts'
import type { Row } from '../../collection/collection.ts'
import { type Condition, conditionText } from '../../collection/conditions.ts'
import { type Names, useNames, useObject } from '../../collection/references.ts'
import { shortId } from '../../parts/characters.ts'
import { Badge } from '../../parts/controls.tsx'
import { Filled } from '../../parts/filled.tsx'
import { Icon } from '../../parts/icons.tsx'
import { ShownText } from '../../parts/shown-text.tsx'
import { Failed, Loading } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { labelOf, texts } from '../../texts/texts.ts'
import { PreparedChanges } from './prepared-changes.tsx'
import type { Circumstances, EvaluatedPolicy, Evaluation } from './repairs.ts'

type Client = Operations['GET /clients']['answer']['data'][number]

/** Inputs of a decision (P6.1). `client` is the row of `clientId`, where it is known. */
export type Question = {
  actorId: string
  resourceId: string
  at: string | null
  ip: string | null
  region: string | null
  provider: string | null
  client: Client | null
  clientId: string | null
}

/** Circumstances of the decision by the property of a condition: the inputs, else those of the client. */
const knownOf = ({ ip, region, provider, client }: Question): Circumstances =>
  Object.fromEntries(
    Object.entries({
      remote_ip: ip ?? client?.last_seen_remote_ip,
      remote_ip_location_region: region ?? client?.last_seen_remote_ip_location_region,
      auth_provider_id: provider,
    }).filter((entry): entry is [string, string] => Boolean(entry[1])),
  )

type Shown = {
  actor: Row
  resource: Row
  names: Names
  known: Circumstances
  question: Question
  providers: Map<string, string>
}

const Name = ({ to, id, name }: { to: string; id: string; name: string | undefined }) => (
  <Link href={`/${to}/${id}`} className="reference">
    {name === undefined ? <code>{shortId(id)}</code> : <ShownText text={name} />}
  </Link>
)

/** Names the circumstance that a condition tests: the country of the client, its address, the time. */
function circumstanceText({ property, values }: Condition, at: string, { known, question, providers }: Shown): string {
  const { circumstance } = texts.explorer
  const value = known[property]
  switch (property) {
    case 'remote_ip_location_region':
      return value ? circumstance.region(texts.region(value)) : circumstance.noRegion
    case 'remote_ip':
      return value ? circumstance.ip(value) : circumstance.noIp
    case 'auth_provider_id':
      return value ? circumstance.provider(providers.get(value) ?? value) : circumstance.noProvider
    case 'client_verified':
      return question.clientId ? circumstance.unverified : circumstance.noClient
    default: {
      const timeZone = values[0]?.split('/').slice(2).join('/') || 'UTC'
      const format = new Intl.DateTimeFormat(texts.locale, {
        weekday: 'short',
        timeStyle: undefined,
        hour: '2-digit',
        minute: '2-digit',
        hourCycle: 'h23',
        timeZone,
      })
      return circumstance.time(`${format.format(new Date(at))} (${timeZone})`)
    }
  }
}

/** Returns the decision as a sentence, with the first policy that would have to change. */
function sentenceOf(evaluation: Evaluation, shown: Shown): { text: string; values: Record<string, ReactNode> } {
  const { sentence } = texts.explorer
  const { actor, resource, names } = shown
  const enabled = evaluation.policies.filter(({ is_disabled }) => !is_disabled)
  const policy =
    evaluation.policies.find(({ id }) => id === evaluation.policy_id) ?? enabled[0] ?? evaluation.policies[0]
  const values: Record<string, ReactNode> = {
    actor: <Name to="actors" id={actor.id} name={String(actor.name)} />,
    resource: <Name to="resources" id={resource.id} name={String(resource.name)} />,
    group: policy?.group_id && <Name to="groups" id={policy.group_id} name={names('groups', policy.group_id)} />,
    site: resource.site_id ? (
      <Name to="sites" id={String(resource.site_id)} name={names('sites', String(resource.site_id))} />
    ) : null,
    until: evaluation.expires_at && <Time value={evaluation.expires_at} exact />,
  }
  if (evaluation.decision === 'allow') {
    if (!evaluation.gateway_online) return { text: sentence.offline, values }
    return { text: evaluation.expires_at ? sentence.allowedUntil : sentence.allowed, values }
  }
  if (evaluation.reason === 'actor_disabled') return { text: sentence.disabled, values }
  if (evaluation.reason === 'not_connectable')
    return { text: resource.type === 'internet' ? sentence.internet : sentence.pool, values }
  if (evaluation.reason === 'no_policy') return { text: policy ? sentence.policyDisabled : sentence.noPolicy, values }
  const unmet = (policy?.conditions ?? []).filter(({ passed }) => !passed)
  const circumstances = unmet.map((one) => circumstanceText(one, evaluation.evaluated_at, shown))
  const required = unmet.map((one) => conditionText(one, (id) => shown.providers.get(id) ?? id))
  const more = enabled.length > 1 ? texts.explorer.moreUnmet(enabled.length - 1) : ''
  return {
    text: sentence.violated + more,
    values: { ...values, circumstances: texts.joined(circumstances), required: texts.explorer.required(required) },
  }
}

function PolicyResult({ policy, shown }: { policy: EvaluatedPolicy; shown: Shown }) {
  const { names, providers } = shown
  const isMet = policy.conforms && !policy.is_disabled
  return (
    <li className={isMet ? 'result met' : 'result unmet'}>
      <p className="result-title">
        <Icon name={isMet ? 'check' : 'close'} />
        <Link href={`/policies/${policy.id}`}>
          <Filled
            text={texts.explorer.policyOf}
            values={{ group: <ShownText text={(policy.group_id && names('groups', policy.group_id)) || policy.id} /> }}
          />
        </Link>
        {policy.is_disabled && <Badge tone="warn">{texts.badges.disabled}</Badge>}
        {policy.expires_at && (
          <span className="minor">
            {texts.explorer.until} <Time value={policy.expires_at} exact />
          </span>
        )}
      </p>
      <ul>
        {policy.conditions.length === 0 && <li className="minor">{texts.explorer.always}</li>}
        {policy.conditions.map((condition) => (
          <li key={condition.property} className={condition.passed ? 'result-condition met' : 'result-condition unmet'}>
            <Icon name={condition.passed ? 'check' : 'close'} />
            <span>
              <span className="visually-hidden">{condition.passed ? texts.explorer.met : texts.explorer.unmet}: </span>
              {conditionText(condition, (id) => providers.get(id) ?? id)}
              {condition.until && (
                <span className="minor">
                  {' '}
                  {texts.explorer.until} <Time value={condition.until} exact />
                </span>
              )}
            </span>
          </li>
        ))}
      </ul>
    </li>
  )
}

type Props = { question: Question; providers: Map<string, string> }

/** Decision of the service for an actor and a resource: a sentence, each policy and condition, the gateway, and what would change it. */
export function Decision({ question, providers }: Props) {
  const { actorId, resourceId, at, ip, region, provider, clientId } = question
  const body = {
    actor_id: actorId,
    resource_id: resourceId,
    at,
    ip,
    ...(region && { region }),
    auth_provider_id: provider,
    client_id: clientId,
  }
  const evaluated = useQuery<{ answer: { data: Evaluation } }, Problem>({
    queryKey: ['POST /access/evaluate', {}, body],
    queryFn: ({ signal }) => send('POST /access/evaluate', { path: {}, body, signal }),
  })
  const { row: actor, error: actorError } = useObject('actors', actorId)
  const { row: resource, error: resourceError } = useObject('resources', resourceId)
  const evaluation = evaluated.data?.answer.data
  // Waits for both, so that one request resolves all names.
  const names = useNames(
    evaluation && resource
      ? {
          groups: evaluation.policies.flatMap(({ group_id }) => group_id ?? []),
          sites: resource.site_id ? [String(resource.site_id)] : [],
        }
      : {},
  )
  const failed = evaluated.error ?? actorError ?? resourceError
  if (failed)
    return (
      <section className="decision">
        <Failed problem={failed} onRetry={() => void evaluated.refetch()} />
        {Object.keys(failed.errors).map((field) => (
          <p key={field} className="fault">
            {labelOf(field)}: {messagesOf(failed.errors, field).join(' ')}
          </p>
        ))}
      </section>
    )
  if (!evaluation || !actor || !resource) return <Loading rows={6} />
  const shown: Shown = { actor, resource, names, known: knownOf(question), question, providers }
  const isOffline = evaluation.decision === 'allow' && !evaluation.gateway_online
  const tone = evaluation.decision === 'deny' ? 'bad' : isOffline ? 'warn' : 'good'
  return (
    <section className="decision" aria-label={texts.explorer.decision(String(actor.name))}>
      <p className={`answer ${tone}`} role="status">
        <Icon name={tone === 'good' ? 'check' : 'close'} />
        <span>
          <Filled {...sentenceOf(evaluation, shown)} />
        </span>
      </p>
      <div>
        <h2>{texts.explorer.policies}</h2>
        {evaluation.policies.length === 0 && <p className="minor">{texts.explorer.noPolicies}</p>}
        {evaluation.policies.length > 0 && (
          <ul className="box-list">
            {evaluation.policies.map((policy) => (
              <PolicyResult key={policy.id} policy={policy} shown={shown} />
            ))}
          </ul>
        )}
        {evaluation.truncated && <p className="minor">{texts.explorer.truncated}</p>}
      </div>
      {resource.site_id !== null && (
        <div>
          <h2>{labelOf('gateway')}</h2>
          <p className="gateway-state">
            <Badge tone={evaluation.gateway_online ? 'good' : 'bad'}>
              {evaluation.gateway_online ? texts.badges.online : texts.badges.offline}
            </Badge>
            <Name to="sites" id={String(resource.site_id)} name={names('sites', String(resource.site_id))} />
          </p>
        </div>
      )}
      {tone !== 'good' && (
        <PreparedChanges
          evaluation={evaluation}
          actor={actor}
          resource={resource}
          names={names}
          known={shown.known}
          client={question.client}
        />
      )}
    </section>
  )
}
