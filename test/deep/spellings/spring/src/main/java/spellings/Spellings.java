package spellings;

import static org.springframework.format.annotation.DateTimeFormat.ISO;

import java.math.BigDecimal;
import java.net.InetAddress;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.util.Base64;
import java.util.Map;
import java.util.UUID;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.format.annotation.DateTimeFormat;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** A Spring service that answers with the value that its handler got, in a text that equal values share. */
@SpringBootApplication
@RestController
public class Spellings {
  enum Choice { red, Green, dark_blue }

  private static Map<String, String> answer(Object value) {
    return Map.of("value", value.toString());
  }

  @GetMapping("/boolean/{value}")
  Map<String, String> ofBoolean(@PathVariable("value") boolean value) {
    return answer(value);
  }

  @GetMapping("/integer/{value}")
  Map<String, String> ofInteger(@PathVariable("value") long value) {
    return answer(value);
  }

  @GetMapping("/number/{value}")
  Map<String, String> ofNumber(@PathVariable("value") double value) {
    return answer(value + 0.0);
  }

  @GetMapping("/decimal/number/{value}")
  Map<String, String> ofDecimal(@PathVariable("value") BigDecimal value) {
    return answer(value.signum() == 0 ? "0" : value.stripTrailingZeros().toString());
  }

  @GetMapping("/float/{value}")
  Map<String, String> ofFloat(@PathVariable("value") float value) {
    return answer(value + 0.0f);
  }

  @GetMapping("/date/{value}")
  Map<String, String> ofDate(@PathVariable("value") @DateTimeFormat(iso = ISO.DATE) LocalDate value) {
    return answer(value);
  }

  @GetMapping("/time/{value}")
  Map<String, String> ofTime(@PathVariable("value") @DateTimeFormat(iso = ISO.TIME) LocalTime value) {
    return answer(value);
  }

  @GetMapping("/date-time/{value}")
  Map<String, String> ofMoment(@PathVariable("value") @DateTimeFormat(iso = ISO.DATE_TIME) OffsetDateTime value) {
    return answer(value.toInstant());
  }

  @GetMapping("/instant/date-time/{value}")
  Map<String, String> ofInstant(@PathVariable("value") Instant value) {
    return answer(value);
  }

  @GetMapping("/uuid/{value}")
  Map<String, String> ofUuid(@PathVariable("value") UUID value) {
    return answer(value);
  }

  @GetMapping("/ipv4/{value}")
  Map<String, String> ofIpv4(@PathVariable("value") InetAddress value) {
    return answer(value.getHostAddress());
  }

  @GetMapping("/ipv6/{value}")
  Map<String, String> ofIpv6(@PathVariable("value") InetAddress value) {
    return answer(value.getHostAddress());
  }

  @GetMapping("/byte/{value}")
  Map<String, String> ofBytes(@PathVariable("value") String value) {
    return answer(java.util.HexFormat.of().formatHex(Base64.getMimeDecoder().decode(value)));
  }

  @GetMapping("/choice/{value}")
  Map<String, String> ofChoice(@PathVariable("value") Choice value) {
    return answer(value);
  }

  @GetMapping("/text/{value}")
  Map<String, String> ofText(@PathVariable("value") String value) {
    return answer(value);
  }

  public static void main(String[] args) {
    SpringApplication app = new SpringApplication(Spellings.class);
    app.setDefaultProperties(Map.of(
        "server.port", args[0], "server.address", "127.0.0.1", "spring.main.banner-mode", "off",
        "logging.level.root", "OFF"));
    app.run(args);
  }
}
