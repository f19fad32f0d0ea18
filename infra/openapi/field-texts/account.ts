import { integer, type Texts, text } from './text.ts'

/** The account and its limits. */
export const accountTexts: Texts = {
  account_admin_users: text('Limit of enabled administrators.'),
  'accounts.monthly_active_users': text('Limit of enabled people with a client that was seen within the last month.'),
  'accounts.name': text('What the company is called, 3 to 64 characters.', 'Example'),
  'accounts.sites': text('Limit of places that administrators create; the Internet Site does not count.'),
  'accounts.users': text('Limit of enabled people, administrators among them.'),
  available: integer('How many more can be created: `total` minus `used`, at least 0.', 7),
  key: text('Short code of the account, 6 lower-case letters and digits, unique in the service.', 'k3v9qa'),
  legal_name: text('Registered name of the company; null when none was given.', 'Example Ltd'),
  limits: text('The limits that are set, each with its use; `{}` when none is set.'),
  service_accounts: text('Limit of enabled actors that are programs with clients.'),
  slug: text('Part of the sign-in address `/sign_in/<slug>`, unique in the service.', 'example'),
  'accounts.total': integer('How many the account may have.', 10),
  used: integer('How many exist now.', 3),
}
