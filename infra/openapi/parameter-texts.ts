/** Query parameters: what each selects, for all lists or for those of one collection (`logs.type`). */
const texts: Record<string, string> = {
  actor_id: 'Only entries of this actor, as recorded at that time: a UUID.',
  actor_email: 'Only entries of the actor with this address at that time. Not together with `type=api_request`.',
  address: 'Only resources at exactly this address, in the normalized form in which it is answered.',
  begin: 'Only entries from this instant on, RFC 3339, for example `2026-03-01T00:00:00Z`; 90 days ago when left out.',
  directory_id: 'Only groups that this directory synchronizes: a UUID. Empty: groups of no directory.',
  email: 'Only the actor with this address, ignoring case.',
  end: 'Only entries before this instant, RFC 3339; now when left out.',
  entity_type: 'Only `group`, or only `org_unit`.',
  from: 'Number of the first leaf, or the size of the earlier checkpoint.',
  group_id: 'Only policies that grant access to members of this group: a UUID.',
  hour: 'Begin of a sealed hour, RFC 3339, for example `2026-03-01T12:00:00Z`.',
  ip_stack: 'Only DNS resources that are resolved to these families.',
  ipv4: 'Only the gateway with exactly this tunnel address, for example `100.64.0.7`.',
  ipv6: 'Only the gateway with exactly this tunnel address, in any spelling.',
  name: 'Only what is called exactly so; case matters.',
  resource_id: 'Only policies that grant this resource: a UUID.',
  site_id: 'Only resources that are reached through this place: a UUID.',
  size: 'How many leaves the tree has that the proof leads to.',
  stream: 'Log stream of the sealed hour: `session` or `api_request`.',
  svc_id: 'Only clients of the installation with this identifier; several actors can have one each.',
  to: 'Number of the leaf behind the last one, or the size of the later checkpoint.',
  type: 'Only objects of this kind; the allowed values are listed.',
  'logs.type': 'Only one stream: `change`, `session`, `flow` or `api_request`.',
}

/** @throws Error for a parameter without a text */
export function parameterText(name: string, tag: string): string {
  const text = texts[`${tag}.${name}`] ?? texts[name]
  if (!text) throw new Error(`The query parameter ${name} of ${tag} has no text in infra/openapi/parameter-texts.ts.`)
  return text
}
