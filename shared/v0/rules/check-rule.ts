import { invalid } from '../../core/errors.ts'
import type { Draft } from '../../values/draft.ts'
import { formatIp, parseCidr, parseIp } from '../../values/ip.ts'
import { blank, isBlank } from '../values/messages.ts'
import type { V0RuleInput, V0RuleRow } from './rule.ts'

type Fields = Pick<V0RuleRow, 'action' | 'destination' | 'port_type' | 'port_range' | 'user_id'>

/** An address or network in the one form that is stored (`/v0` contract, 11.2): host bits stay, a full-length mask goes. */
export function canonicalDestination(text: string): string | null {
  const [address = '', mask] = text.split('/')
  const ip = parseIp(address)
  if (!ip || (mask !== undefined && !parseCidr(text))) return null
  const isHost = mask === undefined || Number(mask) === (ip.family === 4 ? 32 : 128)
  return isHost ? formatIp(ip) : `${formatIp(ip)}/${mask}`
}

function checkDestination(draft: Draft<V0RuleInput>, text: string | null): string | null {
  if (draft.has('destination')) return null
  const destination = text === null || isBlank(text) ? null : canonicalDestination(text)
  if (destination === null) draft.reject('destination', isBlank(text) ? blank : 'is invalid')
  return destination
}

/** A rule has both a port type and a port range, or neither. */
function checkPorts(
  draft: Draft<V0RuleInput>,
  { port_type, port_range }: Pick<Fields, 'port_type' | 'port_range'>,
): void {
  if (draft.has('port_type') || draft.has('port_range')) return
  if (port_type === null && port_range !== null) draft.reject('port_type', blank)
  if (port_range === null && port_type !== null) draft.reject('port_range', blank)
}

/**
 * The field checks of a rule (11.2), with what a change leaves out taken from the rule itself, or, for a new one, from
 * the defaults.
 * @throws ApiError `validation_failed`
 */
export function checkRule(draft: Draft<V0RuleInput>, rule?: V0RuleRow): Fields {
  const { action, destination, port_type, port_range, user_id } = draft.fields
  if (action === null) draft.reject('action', blank)
  const given = {
    action: action ?? rule?.action ?? 'drop',
    destination: rule && destination === undefined ? rule.destination : checkDestination(draft, destination ?? null),
    port_type: port_type === undefined ? (rule?.port_type ?? null) : port_type,
    port_range: port_range === undefined ? (rule?.port_range ?? null) : port_range,
    user_id: user_id === undefined ? (rule?.user_id ?? null) : user_id,
  }
  checkPorts(draft, given)
  const { destination: canonical } = given
  if (canonical === null) throw invalid(draft.errors)
  draft.done()
  return { ...given, destination: canonical }
}
