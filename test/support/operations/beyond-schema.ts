type Message = { field: string; message: string; value: unknown; method: string }

/** Matches a 422 message for a body that its JSON Schema accepts. `why` names the rule that JSON Schema cannot express. */
type Rule = { why: string; field: RegExp; message: RegExp; when?: (found: Message) => boolean }

const isUpdate = ({ method }: Message): boolean => method !== 'POST'

const rules: Rule[] = [
  {
    why: 'depends on other objects of the account',
    field: /./,
    message:
      /^does not exist$|^has already been taken$|already exists$|^[0-9a-f-]{36} does not exist$|^destination overlaps|the Internet Site$/,
  },
  {
    why: 'depends on the stored object',
    field: /^(type|email|portal_scopes|role|group_id|site_id|address|ip_stack|port_type|port_range|endpoint)$/,
    message: /./,
    when: isUpdate,
  },
  {
    why: 'a changed issuer requires the secret again',
    field: /^client_secret$/,
    message: /^can't be blank$/,
    when: isUpdate,
  },
  { why: 'depends on the time', field: /^expires_at$/, message: /^must be in the future$/ },
  { why: 'depends on the deployment', field: /^ipv[46]$/, message: /^is reserved$/ },
  {
    why: 'compares two values of the body',
    field: /./,
    message:
      /^only one condition per property|^ports must not overlap$|^lower (port|value) cannot|^start of the time range|^does not match password|^must not be present$/,
  },
  {
    why: 'bounds do not apply to an integer in a string',
    field: /./,
    message: /^must be (greater|less) than or equal to|^port is not within/,
    when: ({ value }) => typeof value === 'string',
  },
  {
    why: 'addresses, names and URLs have their own grammar',
    field: /(^|\.)(address|values|destination|endpoint|email|issuer|discovery_document_uri|redirect_uri|base_url)$/,
    message:
      /^is invalid$|valid|^must (be an IP address or|be an https URL|be one of the redirect URIs|have the form)|^(cannot|has mismatched|needs a label|is an IP address|does not contain|only http|timezone|port is not)/,
  },
  {
    why: 'a string contains a list',
    field: /^(default_client_)?(allowed_ips|dns|endpoint)$/,
    message: /^is invalid|is not a valid FQDN$|^setting port|^should be at most 4096|^port is not a number/,
  },
  { why: 'a string contains a document', field: /\.metadata$/, message: /^is invalid$/ },
]

export const isBeyondSchema = (found: Message): boolean =>
  rules.some(
    ({ field, message, when = () => true }) => field.test(found.field) && message.test(found.message) && when(found),
  )
