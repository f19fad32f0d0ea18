import { instant, integer, type Texts, text } from './text.ts'

/** Sealed logs: checkpoints, leaves and proofs. */
export const sealedLogsTexts: Texts = {
  follows: text('The log that this one replaces after a restore; null for the first.', null),
  from: integer('Number of leaves: the first leaf that is asked for, or the size of the earlier checkpoint.', 120),
  hashes: text('Leaf hashes of 32 bytes one after the other, in base64.'),
  hour: text('Begin of the hour that is sealed by one leaf, RFC 3339; in a proof, the proof within that hour.'),
  hours: text('What the leaves seal: an hour of a stream each.'),
  index: integer('Number of the leaf within its tree, from 0.', 7),
  last: text('The final checkpoint of the log that this one follows.'),
  leaf_hash: text('SHA-256 of the entry as RFC 6962 says, in base64.'),
  leaf_index: integer('Number of the leaf in its log, from 0: how many came before it.', 1234),
  log: text('Which sealed log: `changes` or `activity`.', 'changes'),
  note: text('The checkpoint as a signed note (C2SP tlog-checkpoint); null before the first seal.'),
  origin: text('First line of the checkpoint: host, account and log.'),
  root: text('Hash over all leaves of the tree (RFC 6962), in base64.'),
  shared: integer('How many leaves this log has in common with the one that it follows.', 1000),
  signed_at: instant('When the service signed the checkpoint.'),
  size: integer('Number of leaves of the tree.', 1300),
  stream: text('The log stream whose hour is sealed.', 'session'),
  to: integer(
    'Number of leaves: the leaf behind the last that is asked for, or the size of the later checkpoint.',
    1300,
  ),
  verifier_key: text('Key that verifies the note: `<name>+<hash>+<base64>`.'),
}
