// A NestJS service whose pipes convert parameters. It answers with the value that its handler got, in a text that equal
// values share.
import 'reflect-metadata';
import {
  Controller,
  Get,
  Module,
  Param,
  ParseBoolPipe,
  ParseDatePipe,
  ParseEnumPipe,
  ParseFloatPipe,
  ParseIntPipe,
  ParseUUIDPipe,
  ValidationPipe,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

const keyOf = (value) =>
  value instanceof Date ? `date ${value.getTime()}` : `${typeof value} ${Object.is(value, -0) ? 0 : String(value)}`;

const choices = { RED: 'red', GREEN: 'Green', BLUE: 'dark_blue' };
// The pipe of a kind, and the type of the parameter, by which ValidationPipe converts.
const pipes = {
  boolean: [new ParseBoolPipe(), Boolean],
  integer: [new ParseIntPipe(), Number],
  number: [new ParseFloatPipe(), Number],
  date: [new ParseDatePipe(), Date],
  'date-time': [new ParseDatePipe(), Date],
  uuid: [new ParseUUIDPipe(), String],
  choice: [new ParseEnumPipe(choices), String],
  text: [undefined, String],
};
const transform = new ValidationPipe({ transform: true, transformOptions: { enableImplicitConversion: true } });

/** A controller below a prefix, written as its decorators are called. */
function controllerOf(prefix, pipeOf) {
  class Values {}
  for (const [kind, [pipe, type]] of Object.entries(pipes)) {
    Values.prototype[kind] = (value) => ({ value: keyOf(value) });
    Param('value', ...pipeOf(pipe))(Values.prototype, kind, 0);
    Reflect.defineMetadata('design:paramtypes', [type], Values.prototype, kind);
    Get(`${kind}/:value`)(Values.prototype, kind, Object.getOwnPropertyDescriptor(Values.prototype, kind));
  }
  Controller(prefix)(Values);
  return Values;
}

class App {}
Module({
  controllers: [controllerOf('pipes', (pipe) => (pipe ? [pipe] : [])), controllerOf('transform', () => [transform])],
})(App);

const app = await NestFactory.create(App, { logger: ['error'] });
await app.listen(Number(process.argv[2]), '127.0.0.1');
