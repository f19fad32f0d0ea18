import { operatorText } from '#shared/domain/policies/conditions/conditions.ts'
import { instant, integer, type Texts, text, uuid } from './text.ts'

export const resourcesAndPoliciesTexts: Texts = {
  address: text(
    'For `dns` a name, which may have wildcards (`*.example.com`) and is kept as sent; for `ip` an address; for `cidr` a range. IPv6 is returned in lower case and compressed, a range with its first address: `192.168.1.1/24` → `192.168.1.0/24`, `2001:DB8::0:1` → `2001:db8::1`. Null for `internet` and pools.',
    'wiki.example.com',
  ),
  address_description: text(
    'Note shown next to the address, at most 255 characters; null if there is none.',
    'The company wiki',
  ),
  at: instant('Time to evaluate; now by default.'),
  'evaluations.client_id': uuid('The client to evaluate; null for any client.'),
  conditions: text(
    'Conditions that must all be met for the policy to grant access, at most one per property. Returned in the order sent.',
  ),
  conforms: text('True when every condition of the policy is met.', true),
  decision: text('`allow` or `deny`: the decision that an authorization request would get.', 'allow'),
  evaluated_at: instant('Time for which access was evaluated.'),
  filters: text('Exposed protocols and ports. An empty list exposes all. Returned in the order sent.'),
  flow_log_uploads_enabled: text(
    'True when connections of the policy are reported to the flow log. Always false for the Internet Resource.',
    true,
  ),
  gateway_online: text('True when a gateway of the site can currently accept the connection.', true),
  ip_stack: text(
    'Address families to which a DNS name is resolved, `dual` by default. Null for every type except `dns`.',
    'dual',
  ),
  operator: text(`Comparison with \`values\`; \`is_in\` by default. ${operatorText}.`, 'is_in'),
  passed: text('True when the condition is met.', true),
  ports: text(
    'Ports and ranges, 1 to 65535; an empty list means all. Returned in the order sent, ranges with blanks around the hyphen: `8000-8080` → `8000 - 8080`, `5-5` → `5`, the number 443 → `443`.',
    ['443', '8000 - 8080'],
  ),
  property: text(
    'Property that the condition checks; `remote_ip_location_region` by default.',
    'remote_ip_location_region',
  ),
  protocol: text('`tcp`, `udp` or `icmp`; a protocol can occur in several filters.', 'tcp'),
  reason: text('Reason for a denial or for the outcome of a run; null if there is nothing to explain.', null),
  region: text(
    'ISO 3166-1 alpha-2 code in upper case; for a posture provider the data centre of the vendor, `us` or `eu`.',
    'DE',
  ),
  'policies.resource_id': uuid('The resource that the policy grants: the `id` of a resource.'),
  'resources.name': text(
    'Name of the resource, at most 255 characters, not unique. Surrounding blanks are removed: ` Wiki ` → `Wiki`.',
    'Wiki',
  ),
  'resources.type': text(
    '`dns` a name, `ip` one address, `cidr` a range. `internet` and `static_device_pool` cannot be created through the API.',
    'dns',
  ),
  'sites.name': text(
    'Name of the site, at most 64 characters, unique (case-sensitive). Blanks are kept.',
    'Warsaw office',
  ),
  until: instant('Time until which the condition is met; null if it has no end.'),
  values: text(
    'Values with which the property is compared, returned in the order and spelling sent, without surrounding blanks. Region: `DE`. Address: `192.0.2.0/24`. Provider: its id. Verified: `true`. Time: `<day>/<ranges>/<zone>`, for example `M/09:00-17:00/Europe/Warsaw`; days are M T W R F S U, where R is Thursday and U is Sunday; several ranges are separated by commas, `true` is the whole day.',
    ['DE', 'PL'],
  ),
  'in_forces.client_id': uuid('The client that may reach the resource.'),
  'in_forces.expires_at': instant(
    'When the authorization ends: with its policy or its client token, whichever is first.',
  ),
  'in_forces.group_id': uuid('The group through whose policy the client may reach the resource.'),
  client_remote_ip: text('Public IP address of the client when it was authorized.', '192.0.2.10'),
  'refused_authorizations.client_id': uuid('The client that was refused.'),
  'refused_authorizations.count': integer(
    'Number of refusals with the same client, resource and reason in the hour.',
    41,
  ),
  'refused_authorizations.first_at': instant('Time of the first of these refusals.'),
  'refused_authorizations.hour': instant('Start of the hour of the refusals.'),
  'refused_authorizations.ip': text('Public IP address of the client at the latest of these refusals.', '192.0.2.10'),
  'refused_authorizations.last_at': instant('Time of the latest of these refusals.'),
  'refused_authorizations.reason': text(
    'First condition of access that was not met: the resource exists (`unknown_resource`) and clients can connect to it (`not_connectable`), a policy grants it (`no_policy`), its conditions are met (`conditions_violated`), and a gateway is online (`gateway_offline`) with a compatible version (`version_mismatch`).',
    'conditions_violated',
  ),
  'refused_authorizations.resource_id': uuid('The resource that was refused; null for all unknown resources together.'),
  'refused_authorizations.violated': text(
    'Properties of the conditions that were not met at the latest of these refusals, without duplicates.',
    ['remote_ip'],
  ),
  violated: text('Properties of the conditions that are not met, without duplicates.', ['remote_ip']),
}
