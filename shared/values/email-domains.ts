import { hostName } from './email.ts'
import { field } from './field.ts'
import { hostNamePattern } from './fields.ts'
import { foldAscii } from './fold-ascii.ts'

const maxDomains = 100

/** The domains of the emails that a provider or a directory vouches for, in lower case and punycode, each once; null for any. */
export const EmailDomains = field<string[] | null>(
  (input) => {
    if (input === null) return { value: null }
    if (!Array.isArray(input)) return { message: 'must be a list' }
    if (input.length === 0) return { message: 'should have at least 1 item(s)' }
    if (input.length > maxDomains) return { message: `should have at most ${maxDomains} item(s)` }
    const domains = input.map((text) => (typeof text === 'string' ? hostName(text.trim()) : null))
    const wrong = domains.flatMap((domain, i) => (domain === null ? [[String(i), ['is not a domain name']]] : []))
    if (wrong.length > 0) return { errors: Object.fromEntries(wrong) }
    return { value: [...new Set(domains.filter((domain) => domain !== null))] }
  },
  {
    type: ['array', 'null'],
    minItems: 1,
    maxItems: maxDomains,
    // Names in other scripts are accepted too: no pattern can decide which of them exist in punycode.
    items: { type: 'string', maxLength: 253, pattern: hostNamePattern },
  },
)

/** Checks an email against a list of domains. A domain does not include those below it. */
export const isInDomains = (email: string | null, domains: string[] | null): boolean =>
  domains === null || (email !== null && domains.includes(foldAscii(email.slice(email.lastIndexOf('@') + 1))))
