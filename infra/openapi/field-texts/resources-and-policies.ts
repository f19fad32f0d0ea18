import { operatorText } from '#shared/domain/policies/conditions/conditions.ts'
import { instant, type Texts, text, uuid } from './text.ts'

export const resourcesAndPoliciesTexts: Texts = {
  address: text(
    'For `dns` a name, which may have wildcards (`*.example.com`), kept as sent; for `ip` an address; for `cidr` a range. IPv6 is answered in lower case and compressed, a range from its first address: `192.168.1.1/24` → `192.168.1.0/24`, `2001:DB8::0:1` → `2001:db8::1`. Null for `internet` and pools.',
    'wiki.example.com',
  ),
  address_description: text(
    'A remark shown beside the address, at most 255 characters; null for none.',
    'The company wiki',
  ),
  at: instant('Instant to decide for; now when left out.'),
  'evaluations.client_id': uuid('The client to decide for; null for any.'),
  conditions: text(
    'What must hold for the policy to grant access, all of it; at most one condition a property. Answered in the order sent.',
  ),
  conforms: text('True when every condition of the policy holds.', true),
  decision: text('`allow` or `deny`, as an authorization would be decided.', 'allow'),
  evaluated_at: instant('Instant that was decided for.'),
  filters: text('Protocols and ports that are exposed; an empty list exposes all. Answered in the order sent.'),
  flow_log_uploads_enabled: text(
    'True when connections of the policy are reported to the flow log. Always false for the Internet Resource.',
    true,
  ),
  gateway_online: text('True when a gateway of the site can take the connection now.', true),
  ip_stack: text(
    'Address families that a DNS name is resolved to: `dual` by default. Null for every type but `dns`.',
    'dual',
  ),
  operator: text(`How \`values\` are compared; \`is_in\` when left out. ${operatorText}.`, 'is_in'),
  passed: text('True when the condition holds.', true),
  ports: text(
    'Ports and ranges, 1 to 65535; an empty list means all. Answered in the order sent, ranges with blanks around the dash: `8000-8080` → `8000 - 8080`, `5-5` → `5`, the number 443 → `443`.',
    ['443', '8000 - 8080'],
  ),
  property: text(
    'What the condition is about; `remote_ip_location_region` when left out.',
    'remote_ip_location_region',
  ),
  protocol: text('`tcp`, `udp` or `icmp`; a protocol can be in several filters.', 'tcp'),
  reason: text('Why the answer is no, or why the run ended as it did; null where there is nothing to explain.', null),
  region: text(
    'ISO 3166-1 alpha-2 code in upper case; at a posture provider the data centre of the vendor, `us` or `eu`.',
    'DE',
  ),
  'policies.resource_id': uuid('The resource that the policy grants: the `id` of a resource.'),
  'resources.name': text(
    'What the resource is called, at most 255 characters, not unique. Blanks around it are cut: ` Wiki ` → `Wiki`.',
    'Wiki',
  ),
  'resources.type': text(
    '`dns` a name, `ip` one address, `cidr` a range. `internet` and `static_device_pool` exist, but are not created here.',
    'dns',
  ),
  'sites.name': text(
    'What the place is called, at most 64 characters, unique with case. Blanks are kept.',
    'Warsaw office',
  ),
  until: instant('Until when the condition holds; null for no end.'),
  values: text(
    'What the property is compared with, answered in the order and spelling sent, without blanks around. Region: `DE`. Address: `192.0.2.0/24`. Provider: its id. Verified: `true`. Time: `<day>/<ranges>/<zone>`, for example `M/09:00-17:00/Europe/Warsaw`; days are M T W R F S U, where R is Thursday and U is Sunday; several ranges are separated by commas, `true` is the whole day.',
    ['DE', 'PL'],
  ),
  violated: text('Properties of the conditions that do not hold, each once.', ['remote_ip']),
}
