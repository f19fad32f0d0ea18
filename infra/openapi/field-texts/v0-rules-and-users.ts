import { type Texts, time } from './text.ts'

/** Rules and users of the legacy API. */
export const v0RulesAndUsersTexts: Texts = {
  'v0_users.email': { description: 'Address of the user, unique in the account.', example: 'ada@example.com' },
  action: { description: 'What happens to matching traffic.', example: 'accept' },
  destination: { description: 'IP address or CIDR block.', example: '192.0.2.0/24' },
  disabled_at: {
    description: 'When the user was disabled; null when it is not.',
    example: null,
    format: 'date-time',
  },
  last_signed_in_at: {
    description: 'Time of the last sign-in; null before the first.',
    example: time,
    format: 'date-time',
  },
  last_signed_in_method: { description: 'Method of the last sign-in; null before the first.', example: null },
  password: { description: 'Password, 12 to 128 characters; none when left out.', example: 'seven-green-boats' },
  password_confirmation: { description: 'The password once more.', example: 'seven-green-boats' },
  port_range: {
    description: 'One port, or the lowest and the highest of a range; null for all, with `port_type`.',
    example: '8000 - 8100',
  },
  port_type: { description: 'The protocol of the ports; null for all traffic, with `port_range`.', example: 'tcp' },
}
