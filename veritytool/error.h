#ifndef VERITYTOOL_VERITYTOOL_ERROR_H
#define VERITYTOOL_VERITYTOOL_ERROR_H

#include <cassert>
#include <string>
#include <utility>
#include <variant>

/// How this library reports what went wrong. It never prints and never exits; std::bad_alloc passes through it.

namespace verity {

enum class ErrorKind {
    usage,        ///< parameters that make no sense together
    io,           ///< the operating system refused, or a file ended or changed where it must not
    input,        ///< a file that cannot be used as it is
    content,      ///< a file that does not hold what it was said to hold
    superblock,   ///< no verity superblock, or one whose fields contradict each other
    interrupted,  ///< the caller asked to stop
};

/// `message` is one line without a full stop that names the file and the figure: "a.img: 5000 bytes is not ...".
struct Error {
    ErrorKind kind;
    std::string message;
};

/// A value or the reason why there is none.
template <class T>
class [[nodiscard]] Result {
  public:
    Result(T value) : content_(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : content_(std::in_place_index<1>, std::move(error)) {}

    explicit operator bool() const { return content_.index() == 0; }
    T& operator*() & { return std::get<0>(content_); }
    const T& operator*() const& { return std::get<0>(content_); }
    T&& operator*() && { return std::get<0>(std::move(content_)); }
    T* operator->() { return &std::get<0>(content_); }
    const T* operator->() const { return &std::get<0>(content_); }
    const Error& error() const { return std::get<1>(content_); }

  private:
    std::variant<T, Error> content_;
};

/// Success, or the reason why not.
template <>
class [[nodiscard]] Result<void> {
  public:
    Result() = default;
    Result(Error error) : content_(std::move(error)) {}

    explicit operator bool() const { return content_.index() == 0; }
    const Error& error() const { return std::get<1>(content_); }

  private:
    std::variant<std::monostate, Error> content_;
};

}  // namespace verity

#endif
