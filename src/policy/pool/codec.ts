import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import type { Policy, Role, Statement } from '../model/model.js';
import type { PoolBinding, PoolContent, PoolItem, PoolKind } from './pool-items.js';
import { Writer } from './writer.js';

// Decodes items directly into the types of the policy engine, and encodes them. protobuf-es uses field descriptions and
// message objects, which takes ten times as long: seconds for a state of 100 000 bindings. A test compares both
// implementations, and so the field numbers with those of proto/pool.proto.

/** A field of a message, as protobuf-es keeps unknown fields. */
export interface RawField {
  readonly no: number;
  readonly wireType: WireType;
  /** The encoded value; for a message, its length and its bytes. */
  readonly data: Uint8Array;
}

const ofStatement = { effect: 1, resources: 2, actions: 3, description: 4 } as const;
const ofPolicy = { statements: 1, description: 2 } as const;
const ofRole = { policies: 1, scope: 3, description: 4 } as const;
const ofBinding = { role: 1, scope: 2 } as const;
// The messages of all kinds have the same field numbers.
const ofItem = { name: 1, index: 2, item: 3 } as const;
const itemsNumber = 1;
/** The number of the effect Allow; Deny is 0, the default. */
const allow = 1;

/** Reads a message of known length; `take` reads the value of each known field. */
function readMessage(reader: BinaryReader, take: (no: number) => boolean): void {
  const length = reader.uint32();
  const end = reader.pos + length;
  while (reader.pos < end) {
    const [no, type] = reader.tag();
    if (!take(no)) reader.skip(type, no);
  }
  if (reader.pos !== end) throw new RangeError('a message ends inside a field');
}

function readStatement(reader: BinaryReader): Statement {
  let effect: Statement['effect'] = 'Deny';
  let description = '';
  const actions: string[] = [];
  const resources: string[] = [];
  readMessage(reader, (no) => {
    if (no === ofStatement.effect) effect = reader.int32() === allow ? 'Allow' : 'Deny';
    else if (no === ofStatement.actions) actions.push(reader.string());
    else if (no === ofStatement.resources) resources.push(reader.string());
    else if (no === ofStatement.description) description = reader.string();
    else return false;
    return true;
  });
  return { effect, actions, resources, description };
}

function readPolicy(reader: BinaryReader): Policy {
  const statements: Statement[] = [];
  let description = '';
  readMessage(reader, (no) => {
    if (no === ofPolicy.statements) statements.push(readStatement(reader));
    else if (no === ofPolicy.description) description = reader.string();
    else return false;
    return true;
  });
  return { statements, description };
}

function readRole(reader: BinaryReader): Role {
  const policies: string[] = [];
  let scope: Policy | null = null;
  let description = '';
  readMessage(reader, (no) => {
    if (no === ofRole.policies) policies.push(reader.string());
    else if (no === ofRole.scope) scope = readPolicy(reader);
    else if (no === ofRole.description) description = reader.string();
    else return false;
    return true;
  });
  return { policies, scope, description };
}

// The decoder of protobuf-es drops a leading byte order mark, which would change a pattern.
const utf8 = /* @__PURE__ */ new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A reader that can look at a message before reading it, to recognize a known one. */
class PeekingReader extends BinaryReader {
  constructor(data: Uint8Array) {
    super(data, (bytes) => utf8.decode(bytes));
  }

  /** The bytes of the next message, as a string key. */
  peek(): string {
    const start = this.pos;
    const end = this.uint32() + this.pos;
    this.pos = start;
    return Buffer.from(this.buf.buffer, this.buf.byteOffset, this.len).toString('latin1', start, end);
  }
}

/** The size limit, in bytes, of the distinct scopes kept to find equal ones. */
const mostScopeBytes = 1024 * 1024;

/** Decodes items. Equal scopes of bindings are decoded once and become one object. */
export class ItemReader {
  /** Scopes by their bytes; cleared when there are too many. */
  #scopes = new Map<string, Policy>();
  #scopeBytes = 0;

  /** Yields the items of a message, each decoded when it is requested. Throws for malformed bytes. */
  *items(kind: PoolKind, fields: readonly RawField[]): Generator<PoolItem, void> {
    for (const { no, data } of fields) if (no === itemsNumber) yield this.#item(kind, data);
  }

  #item(kind: PoolKind, data: Uint8Array): PoolItem {
    const reader = new PeekingReader(data);
    let name = '';
    let index = 0;
    let item: PoolContent[PoolKind] | undefined;
    readMessage(reader, (no) => {
      if (no === ofItem.name) name = reader.string();
      else if (no === ofItem.index) index = reader.uint32();
      else if (no === ofItem.item) item = this.#content(kind, reader);
      else return false;
      return true;
    });
    return { name, index, item };
  }

  #content(kind: PoolKind, reader: PeekingReader): PoolContent[PoolKind] {
    if (kind === 'policies') return readPolicy(reader);
    return kind === 'roles' ? readRole(reader) : this.#binding(reader);
  }

  #binding(reader: PeekingReader): PoolBinding {
    let role = '';
    let scope: Policy | null = null;
    readMessage(reader, (no) => {
      if (no === ofBinding.role) role = reader.string();
      else if (no === ofBinding.scope) scope = this.#scope(reader);
      else return false;
      return true;
    });
    return { role, scope };
  }

  #scope(reader: PeekingReader): Policy {
    const key = reader.peek();
    let scope = this.#scopes.get(key);
    if (scope !== undefined) reader.skip(WireType.LengthDelimited);
    else {
      scope = readPolicy(reader);
      this.#scopeBytes += key.length;
      if (this.#scopeBytes > mostScopeBytes) {
        this.#scopes = new Map();
        this.#scopeBytes = key.length;
      }
      this.#scopes.set(key, scope);
    }
    return scope;
  }
}

// A field with its default value is omitted.

function writeText(writer: Writer, no: number, text: string | undefined): void {
  if (text !== undefined && text !== '') writer.text(no, text);
}

function writeTexts(writer: Writer, no: number, texts: readonly string[]): void {
  for (const text of texts) writer.text(no, text);
}

function writeStatement(writer: Writer, { effect, actions, resources, description }: Statement): void {
  if (effect === 'Allow') writer.number(ofStatement.effect, allow);
  writeTexts(writer, ofStatement.resources, resources);
  writeTexts(writer, ofStatement.actions, actions);
  writeText(writer, ofStatement.description, description);
}

function writePolicy(writer: Writer, { statements, description }: Policy): void {
  for (const statement of statements) writer.message(ofPolicy.statements, statement, writeStatement);
  writeText(writer, ofPolicy.description, description);
}

function writeRole(writer: Writer, { policies, scope, description }: Role): void {
  writeTexts(writer, ofRole.policies, policies);
  if (scope) writer.message(ofRole.scope, scope, writePolicy);
  writeText(writer, ofRole.description, description);
}

function writeBinding(writer: Writer, { role, scope }: PoolBinding): void {
  writeText(writer, ofBinding.role, role);
  if (scope) writer.message(ofBinding.scope, scope, writePolicy);
}

/** Encoders of the content of each kind. */
const writers: Readonly<Record<PoolKind, (writer: Writer, content: never) => void>> = {
  policies: writePolicy,
  roles: writeRole,
  bindings: writeBinding,
  groupBindings: writeBinding,
};

/** Encodes items as fields of their message. */
export class ItemWriter {
  readonly #writer = new Writer();

  /** Encodes the content of an item. */
  content(kind: PoolKind, content: PoolContent[PoolKind]): Uint8Array {
    // The casts, here and below: the content belongs to its kind.
    writers[kind](this.#writer, content as never);
    return this.#writer.take();
  }

  /** Encodes an item, whose content may already be encoded. */
  item(kind: PoolKind, { name, index, item }: PoolItem<PoolContent[PoolKind] | Uint8Array>): RawField {
    this.#writer.delimited(undefined, (writer) => {
      writeText(writer, ofItem.name, name);
      if (index !== 0) writer.number(ofItem.index, index);
      if (item instanceof Uint8Array) writer.bytes(ofItem.item, item);
      else if (item !== undefined) writer.message(ofItem.item, item as never, writers[kind]);
    });
    return { no: itemsNumber, wireType: WireType.LengthDelimited, data: this.#writer.take() };
  }
}
