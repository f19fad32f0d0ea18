import { instant, integer, orNone, type Texts, text, uuid } from './text.ts'

export const syncRunsTexts: Texts = {
  accept_deletions: text('True lets the next run delete more than the brake allows, once. It is not answered.', true),
  api_token: text('Secret of this service at the vendor; sent, stored encrypted and never answered.', 'sample-secret'),
  applied: text('What the run has changed so far, by kind of object.'),
  change: text('What the run does to the object: `insert`, `update` or `delete`.', 'insert'),
  delete: integer('How many objects are to be deleted, or were.', 0),
  devices: text('Counts of managed devices.'),
  'directories.domain': text(
    'Domain of the customer that is synchronized, answered in lower case: `Example.COM` → `example.com`. Null for all of them.',
    'example.com',
  ),
  'directories.name': text(
    'What the directory is called, at most 255 characters, unique per kind. Blanks around it are cut: ` Staff ` → `Staff`.',
    'Staff',
  ),
  disabled_reason: text(
    'Why the service switched it off by itself; null when an administrator did or it is enabled.',
    null,
  ),
  email_field: text('Field of the provider that the email is taken from.', 'userPrincipalName'),
  error: text('Message of the last fault; null after a success.', null),
  error_count: integer('How many runs failed since the last success.', 0),
  error_emailed_at: instant('When administrators were last mailed about the faults; null where they were not.'),
  finished_at: instant('When the run ended; null while it is under way.'),
  group_sync_mode: text(
    'Which groups are synchronized: `all`, those that are `filtered` by name, or none (`disabled`).',
    'all',
  ),
  groups: text('Counts of synchronized groups.'),
  impersonation_email: text(
    'Administrator of the suite in whose name the directory is read. The part behind `@` is answered in lower case: `Sync@Example.COM` → `Sync@example.com`.',
    'sync@example.com',
  ),
  insert: integer('How many objects are to be created, or were.', 3),
  is_verified: text('True since the first successful run; false again when a field of the connection changes.', true),
  keys: text('Public keys of the directory (JSON Web Key Set), to register at the provider.'),
  kid: text('Identifier of the key that the service signs with at the provider.', 'k1'),
  memberships: text('Counts of people in synchronized groups.'),
  orgunit_sync_enabled: text('True when organizational units become groups as well.', false),
  outcome: text(
    'How the run ended; null while it is under way. `stopped`: too much would have been deleted.',
    'applied',
  ),
  phase: text('What the run is doing, or did last.', 'read'),
  planned: text('What the run found to change, by kind of object.'),
  'posture_providers.client_id': text(
    'Identifier of this service at the tenant, for type `tenant`; null for `mdm`.',
    '11111111-2222-4333-8444-555555555555',
  ),
  'posture_providers.name': text(
    'What the inventory is called, at most 255 characters, unique. Blanks around it are cut: ` Laptops ` → `Laptops`.',
    'Laptops',
  ),
  'posture_providers.region': text('Data centre of the vendor, `us` or `eu`; null for type `tenant`.', 'eu'),
  'posture_providers.type': text('Vendor of the inventory: `mdm` or `tenant`; fixed after creation.', 'mdm'),
  posture_provider_id: uuid('The inventory that reported the device.'),
  public_jwk: text('Public half of a key that was just made (JSON Web Key), to register at the provider.'),
  rewinds: orNone(uuid('The run that this one undoes; null for one that synchronizes.')),
  rotate_key: text('True makes a new key pair; the answer has its public half in `public_jwk`.', true),
  seen: text('What the provider reported, by kind of object.'),
  service_account_key: text(
    'Key file of the suite, JSON as text; sent, stored encrypted and never answered.',
    '{"type":"service_account"}',
  ),
  skipped: text('How many entries of the provider could not be used, or were kept as they are, by reason.', {
    no_email: 2,
  }),
  skipped_sample: text('The first of the entries that were skipped, at most 50.'),
  started_at: instant('When the run began.'),
  subdomain: text(
    'First label of the address that the vendor gave the company, 1 to 63 of `a-z 0-9 -`; null for type `tenant`.',
    'company',
  ),
  sync_all_groups: text(
    'True synchronizes every group of the tenant, false only those that are assigned to the app.',
    false,
  ),
  synced_at: instant('When it was last read without a fault; null before the first time.'),
  'directories.tenant_id': text(
    'The tenant at the cloud directory: its GUID or a domain name, answered in lower case: `Tenant.Example.COM` → `tenant.example.com`.',
    '11111111-2222-4333-8444-555555555555',
  ),
  tenant_id: text(
    'The tenant at the cloud directory: its GUID or a domain name, kept as sent; null for other types.',
    '11111111-2222-4333-8444-555555555555',
  ),
  update: integer('How many objects are to be changed, or were.', 1),
  users: text('Counts of people.'),
}
